"""`clusterwright catalog`: full outputs, exit codes, and nothing written without a request."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
import urllib3  # noqa: F401  (opens a socket when it is first imported, which no test may)
from syrupy.assertion import SnapshotAssertion

from clusterwright.aws.errors import AwsUnavailable
from clusterwright.catalog import DIRECTORY_VARIABLE, load_catalog, snapshot
from clusterwright.cli import catalog as catalog_command
from clusterwright.cli import catalog_live
from clusterwright.cli.main import main


@pytest.fixture(autouse=True)
def _a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog_command, "today", lambda: dt.date(2026, 11, 20))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, tuple[str, ...]]]:
    """Live answers without AWS: one price differs, one is confirmed."""
    found: list[tuple[str, tuple[str, ...]]] = []

    def read_region(
        session: Any, region: str, catalog: Any, *, date: str, parts: Any
    ) -> snapshot.Snapshot:
        found.append((region, tuple(parts)))
        prices = {
            ("p5.48xlarge", "ec2-on-demand"): "60.5",
            ("p5.48xlarge", "hyperpod-on-demand"): "66.048",
            ("p5e.48xlarge", "hyperpod-on-demand"): "70",
        }
        for name, kind, place in catalog.priced:
            if place == region and kind in snapshot.PRICE_KINDS and (name, kind) not in prices:
                price = catalog.instance_price(name, place, kind)
                prices[name, kind] = str(price.value.usd)
        return snapshot.Snapshot(region, date, None, {}, (), {}, {}, prices, (), ("prices",))

    monkeypatch.setattr(catalog_live, "read_region", read_region)
    return found


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["catalog", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", "p5.48xlarge", "--region", "us-east-1"),
        ("show", "p6e-gb200.36xlarge"),
        ("show", "m5.8xlarge", "--region", "eu-west-1"),
        ("show", "H100"),
        ("show", "u-p6e-gb200x72", "--region", "us-east-1-dfw-2a"),
        ("age",),
        ("show", "p5.48large"),
        ("show", "c4.large"),
        ("show", "h100"),
        ("show", "banana"),
        ("show", "p5.48xlarge", "--region", "us-est-1"),
    ],
    ids=" ".join,
)
def test_full_output(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion
) -> None:
    code, out, err = run(capsys, *arguments)
    assert f"exit {code}\n--- stdout\n{out}--- stderr\n{err}" == snapshot


def test_misspelt_type_is_an_error_with_empty_stdout(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = run(capsys, "show", "p5.48large")
    assert (code, out) == (3, "")
    assert "did you mean p5.48xlarge?" in err


def test_name_with_ml_prefix_is_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    plain = run(capsys, "show", "p5.48xlarge")
    assert run(capsys, "show", "ml.p5.48xlarge") == plain


def test_every_fact_in_json_has_a_source_or_a_reason(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, _ = run(
        capsys, "show", "p5en.48xlarge", "--region", "us-east-1", "--format", "json"
    )
    answer = json.loads(out)
    assert (code, answer["exit_code"], answer["command"]) == (0, 0, "catalog show")
    assert answer["schema_version"] == 1
    assert (answer["name"], answer["kind"], answer["region"]) == (
        "p5en.48xlarge", "instance", "us-east-1",
    )  # fmt: skip
    facts = {f"{s['title']}: {f['name']}": f for s in answer["sections"] for f in s["facts"]}
    for fact in facts.values():
        if fact["known"]:
            assert fact["source"]
            assert fact["date"]
        else:
            assert fact["value"] is None
            assert fact["note"]
    assert facts["instance: vcpus"]["value"] == 192
    assert facts["instance: local_nvme"]["value"] == {"count": 8, "size_gb": 3800}
    assert facts["network: interfaces"]["value"][1] == {"card": 0, "device": 1, "kind": "efa-only"}
    assert facts["network: addresses on hyperpod-slurm"]["derived"] is True
    assert facts["prices: ec2-on-demand us-east-1"]["value"] == {
        "usd": 63.296, "unit": "instance-hour",
    }  # fmt: skip
    assert facts["zones that offer it: us-east-1"]["value"] == ["use1-az2", "use1-az6"]
    assert facts["prices: capacity-block us-east-1"]["known"] is False


def test_ages_are_printed_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "age", "--format", "json")
    answer = json.loads(out)
    assert code == 0
    assert (answer["today"], answer["stale_after_days"]) == ("2026-11-20", 90)
    sets = {row["data_set"]: row for row in answer["data_sets"]}
    services = sets["prices services"]
    # A few prices are of 2026-09 and 2026-10; the regional ones are of 2025.
    assert services["values"] - 20 < services["stale"] < services["values"]
    assert sets["instances"]["newest"] == "2026-11-17"


def test_every_value_is_stale_in_a_year(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(catalog_command, "today", lambda: dt.date(2028, 1, 1))
    _, out, _ = run(capsys, "age", "--format", "json")
    assert all(row["stale"] == row["values"] for row in json.loads(out)["data_sets"])


def test_refresh_prints_differences_and_writes_nothing(
    asked: Any, capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion
) -> None:
    before = {p: p.read_bytes() for p in load_catalog().store.directory.iterdir()}
    code, out, err = run(capsys, "refresh", "--region", "us-east-1")
    assert (code, err) == (0, "")
    assert out == snapshot
    assert asked == [("us-east-1", ("instances", "prices", "quotas"))]
    assert {p: p.read_bytes() for p in load_catalog().store.directory.iterdir()} == before


def test_check_fails_if_a_fact_changed(asked: Any, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(
        capsys, "refresh", "--region", "us-east-1", "--check", "--part", "prices",
        "--format", "json",
    )  # fmt: skip
    answer = json.loads(out)
    assert (code, answer["exit_code"]) == (1, 1)
    assert {change["fact"] for change in answer["changes"]} == {
        "p5.48xlarge ec2-on-demand us-east-1",
        "p5e.48xlarge hyperpod-on-demand us-east-1",
    }
    assert asked == [("us-east-1", ("prices",))]
    assert answer["written_to"] is None


def test_an_output_directory_becomes_the_catalogue(
    asked: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    target = tmp_path / "facts"
    code, _, _ = run(capsys, "refresh", "--region", "us-east-1", "--output", str(target))
    assert code == 0
    monkeypatch.setenv(DIRECTORY_VARIABLE, str(target))
    _, out, _ = run(capsys, "show", "p5e.48xlarge", "--region", "us-east-1")
    assert "70 USD per instance-hour" in out
    assert "2026-11-20: AWS Price List (Pricing GetProducts), us-east-1" in out
    code, out, _ = run(capsys, "refresh", "--region", "us-east-1", "--check")
    assert (code, out) == (0, "0 facts changed, 0 facts confirmed\n")
    monkeypatch.setattr(catalog_command, "today", lambda: dt.date(2026, 12, 24))
    code, out, _ = run(capsys, "refresh", "--region", "us-east-1", "--write")
    assert code == 0
    assert out.startswith("0 facts changed, ")
    assert "2026-12-24" in (target / "sources.json").read_text(encoding="utf-8")


def test_several_regions_are_read_in_sequence(
    asked: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "refresh", "--region", "us-east-1", "--region", "us-west-2")
    assert [region for region, _ in asked] == ["us-east-1", "us-west-2"]


def test_answers_of_another_endpoint_are_not_built_in(
    asked: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://localhost:4566")
    code, out, err = run(capsys, "refresh", "--region", "us-east-1", "--write")
    assert (code, out, asked) == (3, "", [])
    assert "--output DIR" in err


def test_an_installed_package_is_not_rewritten(
    asked: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("clusterwright.catalog.store.PACKAGE_DATA", tmp_path / "a/b/c/data")
    monkeypatch.setattr(load_catalog().store, "directory", tmp_path / "a/b/c/data")
    code, _, err = run(capsys, "refresh", "--region", "us-east-1", "--write")
    assert code == 3
    assert "installed package" in err


def test_write_in_a_checkout_saves_the_snapshot_and_regenerates(
    asked: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from clusterwright.catalog import generate
    from clusterwright.catalog.building import inputs

    monkeypatch.setattr(inputs, "LIVE", tmp_path / "live")
    monkeypatch.setattr(generate, "DATA", tmp_path / "data")
    code, _, _ = run(capsys, "refresh", "--region", "us-east-1", "--write")
    assert code == 0
    assert [path.name for path in (tmp_path / "live").iterdir()] == ["us-east-1.json"]
    assert generate.main(["--check"]) == 0
    price = load_catalog(directory=tmp_path / "data").instance_price(
        "p5e.48xlarge", "us-east-1", "hyperpod-on-demand"
    )
    assert price.date == "2026-11-20"  # type: ignore[union-attr]


def test_mutually_exclusive_options_are_refused(
    asked: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = run(capsys, "refresh", "--write", "--check")
    assert code == 3
    assert "exclude each other" in err


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("denied", "this identity lacks pricing:GetProducts; nothing was written"),
        ("no-credentials", "no usable AWS credentials"),
        ("throttled", "was throttled"),
    ],
)
def test_missing_answer_exits_2_with_the_action_and_writes_nothing(
    reason: Any,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def read_region(*_: Any, **__: Any) -> Any:
        raise AwsUnavailable(
            service="pricing", operation="GetProducts", region="us-east-1", reason=reason,
            detail="no",
        )  # fmt: skip

    monkeypatch.setattr(catalog_live, "read_region", read_region)
    target = tmp_path / "facts"
    arguments = ("refresh", "--region", "us-east-1", "--output", str(target))
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert "pricing:GetProducts" in err
    assert not target.exists()
    code, out, _ = run(capsys, *arguments, "--format", "json")
    answer = json.loads(out)
    assert (code, answer["exit_code"]) == (2, 2)
    assert answer["unavailable"]["iam_action"] == "pricing:GetProducts"


def test_missing_region_is_an_error(
    asked: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    code, _, err = run(capsys, "refresh")
    assert code == 3
    assert "no region is set" in err


def test_damaged_directory_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(DIRECTORY_VARIABLE, str(tmp_path))
    for arguments in (("age",), ("show", "p5.48xlarge")):
        code, out, err = run(capsys, *arguments)
        assert (code, out) == (3, "")
        assert "cannot be read" in err
        assert "catalog refresh --output" in err
