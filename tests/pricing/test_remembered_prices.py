"""Remembered prices: kept by region with their date, and used where they are the newer ones."""

from __future__ import annotations

import json
import os
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import Known, Price, load_catalog
from clusterwright.cli.main import main
from clusterwright.cost.price_book import LivePrices, PriceBook
from clusterwright.pricing import live_prices, remembered_prices
from clusterwright.pricing.remembered_prices import file_of, recall, remember, with_remembered
from tests.support import specs

P5 = ("p5.48xlarge", "hyperpod-on-demand", "us-west-2")
KEY = ("kms", "key", "us-west-2")


def price(usd: str, date: str = "2026-11-01", unit: str = "instance-hour") -> Known[Price]:
    return Known(Price(Decimal(usd), unit), "AWS Price List", date, "in force since 2026-01-01")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"CLUSTERWRIGHT_CACHE": str(tmp_path / "cache")}


def test_prices_are_read_back_with_source_and_date(environment: dict[str, str]) -> None:
    live = LivePrices(instances={P5: price("70.5")}, services={KEY: price("1", unit="key-month")})
    path = remember(environment, "us-west-2", live)
    assert path == file_of(environment, "us-west-2")
    found = recall(environment, "us-west-2").remembered
    assert found is not None
    assert found.instances == live.instances
    assert found.services == live.services
    assert recall(environment, "us-east-1").remembered is None


def test_later_prices_replace_earlier_ones_of_the_same_thing(environment: dict[str, str]) -> None:
    both = LivePrices(instances={P5: price("70")}, services={KEY: price("1", unit="key-month")})
    remember(environment, "us-west-2", both)
    remember(environment, "us-west-2", LivePrices(instances={P5: price("60", "2026-12-01")}))
    found = recall(environment, "us-west-2").remembered
    assert found is not None
    assert (found.instances[P5].value.usd, found.instances[P5].date) == (60, "2026-12-01")
    assert found.services[KEY].date == "2026-11-01"


def test_spot_prices_are_not_kept(environment: dict[str, str]) -> None:
    spot = LivePrices(instances={("p5.48xlarge", "ec2-spot", "us-west-2"): price("20")})
    assert remember(environment, "us-west-2", spot) is None
    assert remember({}, "us-west-2", LivePrices(instances={P5: price("70")})) is None


@pytest.mark.parametrize(
    "content",
    [
        "", "[]", "{", '{"schema_version": 2}', '{"schema_version": 1}',
        '{"schema_version": 1, "instances": [["a"]], "services": [], "hints": []}',
        '{"schema_version": 1, "instances": [["a", "b", "c", "x", "h", "s", "d", "n"]],'
        ' "services": [], "hints": []}',
        '{"schema_version": 1, "instances": [["a", "b", "c", "-1", "h", "s", "d", "n"]],'
        ' "services": [], "hints": []}',
        '{"schema_version": 1, "instances": [["a", "b", "c", "NaN", "h", "s", "d", "n"]],'
        ' "services": [], "hints": []}',
    ],
)  # fmt: skip
def test_a_damaged_file_is_no_file(environment: dict[str, str], content: str) -> None:
    path = file_of(environment, "us-west-2")
    assert path is not None
    path.parent.mkdir(parents=True)
    path.write_text(content)
    assert recall(environment, "us-west-2") == LivePrices()


def test_never_switches_them_off(environment: dict[str, str]) -> None:
    remember(environment, "us-west-2", LivePrices(instances={P5: price("70")}))
    never = {**environment, remembered_prices.SETTING: remembered_prices.NEVER}
    assert recall(never, "us-west-2") == LivePrices()
    assert remember(never, "us-west-2", LivePrices(instances={P5: price("60")})) is None


def test_the_newer_of_remembered_and_catalogue_is_used(environment: dict[str, str]) -> None:
    # The catalogue's price is of 2026-10-04.
    key = ("p5.48xlarge", "hyperpod-on-demand", "us-east-1")
    origins = []
    for date in ("2026-09-01", "2026-11-01"):
        remember(environment, "us-east-1", LivePrices(instances={key: price("70", date)}))
        book = PriceBook(load_catalog(), recall(environment, "us-east-1"))
        origins.append(book.instance("p5.48xlarge", "us-east-1", "hyperpod-on-demand").origin)
    assert origins == ["catalogue", "remembered"]
    live = with_remembered(LivePrices(instances={key: price("71")}), environment, "us-east-1")
    quote = PriceBook(load_catalog(), live).instance(*key[:1], "us-east-1", "hyperpod-on-demand")
    assert quote.origin == "live"


class TestCommands:
    """`cost` asks AWS if it can be reached; `cost`, `diff`, `migrate` know what it said."""

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CLUSTERWRIGHT_CACHE", os.fspath(tmp_path / "cache"))
        monkeypatch.delenv(remembered_prices.SETTING)

    @pytest.fixture
    def config(self, tmp_path: Path) -> str:
        changes = {"region": "us-west-2", "network.availability_zone_id": "usw2-az2"}
        return str(specs.write(tmp_path / "spec.yaml", specs.changed(changes)))

    def reach(self, monkeypatch: pytest.MonkeyPatch, answer: bool) -> None:
        from clusterwright.aws import reachability

        monkeypatch.setattr(reachability, "price_list_in_reach", lambda *_: answer)

    def workers(
        self, config: str, capsys: pytest.CaptureFixture[str], *options: str
    ) -> tuple[int, dict[str, Any], dict[str, Any]]:
        code = main(["cost", config, "--format", "json", *options])
        answer = json.loads(capsys.readouterr().out)
        (line,) = [entry for entry in answer["lines"] if entry["group"] == "workers"]
        return code, line, answer

    def test_prices_are_read_remembered_and_used_later(
        self, config: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        prices = LivePrices(instances={P5: price("70.5", "2027-01-01")}, calls=1)
        monkeypatch.setattr(live_prices, "fetch", lambda *_, **__: prices)
        self.reach(monkeypatch, True)
        code, line, answer = self.workers(config, capsys)
        assert (code, line["origin"], line["unit_price_usd"]) == (0, "live", 70.5)
        path = file_of(os.environ, "us-west-2")
        assert answer["live"] == {"unanswered": [], "remembered_in": str(path)}

        self.reach(monkeypatch, False)
        _, line, answer = self.workers(config, capsys)
        assert (line["origin"], line["date"]) == ("remembered", "2027-01-01")
        assert answer["live"] is None
        _, line, _ = self.workers(config, capsys, "--no-live")
        assert line["unit_price_usd"] is None
        assert main(["migrate", config, "--to", "hyperpod-eks", "--format", "json"]) in (0, 1, 2)
        before = json.loads(capsys.readouterr().out)["cost"]["before"]
        assert before["hourly_usd"] > 4 * 70
        assert not before["cost_unknown"]
        main(["check", config, "--offline"])
        assert "Traceback" not in capsys.readouterr().err

    def test_what_aws_refuses_by_default_does_not_change_the_exit_code(
        self, config: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from clusterwright.cost.price_book import LiveRefusal

        refused = LivePrices(
            refusals=(LiveRefusal("it was denied", "ask", "pricing:GetProducts"),)
        )
        monkeypatch.setattr(live_prices, "fetch", lambda *_, **__: refused)
        self.reach(monkeypatch, True)
        code, _, answer = self.workers(config, capsys)
        assert (code, answer["live"]["unanswered"]) == (0, ["it was denied (ask)"])
        assert answer["live"]["remembered_in"] is None
        assert self.workers(config, capsys, "--live")[0] == 2

    def test_answers_of_another_endpoint_are_not_remembered(
        self, config: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        prices = LivePrices(instances={P5: price("70.5", "2027-01-01")}, calls=1)
        monkeypatch.setattr(live_prices, "fetch", lambda *_, **__: prices)
        monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:5000")
        _, line, answer = self.workers(config, capsys, "--live")
        assert (line["origin"], answer["live"]["remembered_in"]) == ("live", None)
        assert recall(os.environ, "us-west-2") == LivePrices()
