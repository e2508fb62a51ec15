"""Prices from AWS's APIs precede those of the catalogue and follow those of the user."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from clusterwright.cli.main import main
from clusterwright_localaws import local_aws
from tests.support import specs

Run = Callable[..., tuple[int, dict[str, Any]]]
P5 = {"region": "us-east-1", "instance_type": "p5.48xlarge", "kind": "hyperpod-on-demand"}
PLAN = {"compute.1.capacity": {"kind": "training-plan", "arn": specs.PLAN}}


@pytest.fixture
def cost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `clusterwright cost --live` as the spec's account and return its JSON."""

    def run(changes: dict[str, Any] | None = None, *options: str) -> tuple[int, dict[str, Any]]:
        path = specs.write(tmp_path / "spec.yaml", specs.changed(changes or {}))
        code = main(["cost", str(path), "--live", "--format", "json", *options])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        answer: dict[str, Any] = json.loads(captured.out)
        assert answer["exit_code"] == code
        return code, answer

    return run


@pytest.fixture(autouse=True)
def _account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", specs.ACCOUNT)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")


def as_the_account(monkeypatch: pytest.MonkeyPatch) -> None:
    """moto sets its own credentials at its start."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", specs.ACCOUNT)


def line(answer: dict[str, Any], text: str) -> dict[str, Any]:
    (found,) = [entry for entry in answer["lines"] if text in entry["item"]]
    return dict(found)


def test_price_list_precedes_the_catalogue_and_follows_the_user(
    cost: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with local_aws(prices=[{**P5, "usd": 70.5}]):
        as_the_account(monkeypatch)
        code, answer = cost({"network.egress": "nat"})
        workers = line(answer, "workers")
        assert (workers["unit_price_usd"], workers["origin"], workers["age_days"]) == (
            70.5, "live", 0,
        )  # fmt: skip
        assert workers["source"] == "AWS Price List (Pricing GetProducts)"
        assert line(answer, "NAT gateway: data")["origin"] == "live"
        assert line(answer, "controller")["unit_price_usd"] is None
        assert (code, answer["live"]) == (
            0, {"unanswered": [], "remembered_in": None},
        )  # fmt: skip
        rate = {
            **P5, "usd": 60, "unit": "instance-hour", "source": "mine", "date": "2026-11-01",
        }  # fmt: skip
        (tmp_path / "prices.yaml").write_text(json.dumps({"rates": [rate]}))
        _, answer = cost()
    workers = line(answer, "workers")
    assert (workers["unit_price_usd"], workers["origin"]) == (60, "user")


def test_instance_type_with_a_common_prefix_is_not_matched(
    cost: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The filter is CONTAINS: ml.g6.4xlarge does not match the usage type of ml.g6.48xlarge."""
    g6 = {"region": "us-east-1", "kind": "hyperpod-on-demand"}
    prices = [{**g6, "instance_type": "g6.48xlarge", "usd": 16}]
    with local_aws(prices=prices):
        as_the_account(monkeypatch)
        _, answer = cost({"compute.1.instance_type": "g6.4xlarge"})
        assert line(answer, "workers")["unit_price_usd"] is None
        _, answer = cost({"compute.1.instance_type": "g6.48xlarge"})
    assert line(answer, "workers")["unit_price_usd"] == 16


def test_plan_costs_its_upfront_fee(cost: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = {
        "name": "run-1", "instance_type": "p5.48xlarge", "instance_count": 16,
        "start": "-1d", "end": "+29d", "upfront_fee_usd": 518400,
    }  # fmt: skip
    with local_aws(training_plans=[plan]):
        as_the_account(monkeypatch)
        _, answer = cost({**PLAN, "run.hours": 240})
    workers = line(answer, "workers")
    assert (workers["unit_price_usd"], workers["origin"]) == (45, "live")
    (prepaid,) = answer["prepaid"]
    assert (prepaid["instances"], prepaid["hours"], prepaid["upfront_usd"]) == (16, 720, 518400)
    assert line(answer, "purchased, in no group")["quantity"] == 12
    assert [one["run_usd"] for one in answer["unused"]] == [12 * 45 * 240, 16 * 45 * 480]


def test_plan_without_a_fee_has_the_offering_as_a_hint(
    cost: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with local_aws(unlisted_plans="active"):
        as_the_account(monkeypatch)
        _, answer = cost(PLAN)
    workers = line(answer, "workers")
    assert workers["unit_price_usd"] is None
    assert "AWS's offer of" in workers["note"]
    assert "45.7675 USD per instance-hour" in workers["note"]


def test_spot_has_history_and_no_price_on_hyperpod(
    cost: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    spot = {"instance_type": "p5.48xlarge", "zone_id": "use1-az6"}
    seeds = [
        {**spot, "usd": 20.5, "since": "-20d"},
        {**spot, "usd": 24, "since": "-9d"},
        {**spot, "usd": 22.25, "since": "-2d"},
        {**spot, "zone_id": "use1-az2", "usd": 1, "since": "-1d"},
    ]
    with local_aws(spot_prices=seeds):
        as_the_account(monkeypatch)
        _, answer = cost({"compute.1.capacity": {"kind": "spot"}})
    workers = line(answer, "workers")
    assert workers["unit_price_usd"] is None
    assert "two minutes' notice" in workers["note"]
    assert "use1-az6 over 90 days: 20.5 to 24 USD, 3 changes" in workers["note"]
    assert "22.25 USD; HyperPod's Spot rate is its own" in workers["note"]


def test_spot_on_ec2_costs_the_latest_price(tmp_path: Path) -> None:
    import datetime as dt

    from clusterwright.aws.session import AwsSession
    from clusterwright.catalog import load_catalog
    from clusterwright.cost.estimate import estimate
    from clusterwright.pricing import live_prices

    seeds = [{"instance_type": "p5.48xlarge", "zone_id": "use1-az6", "usd": 22.25, "since": "-2d"}]
    changes = {
        "platform": "parallelcluster",
        "compute.1.capacity": {"kind": "spot"},
        "compute.2": {
            **specs.SMALL["compute"][1],
            "name": "block",
            "capacity": {"kind": "capacity-block", "id": "cr-0123456789abcdef0"},
        },
    }
    cluster = specs.unchecked(tmp_path, changes).cluster
    today = dt.date(2026, 11, 20)
    with local_aws(spot_prices=seeds):
        live = live_prices.fetch(AwsSession("us-east-1"), cluster, load_catalog(), today=today)
    bill = estimate(cluster, load_catalog(), today=today, live=live)
    controller, workers, block = (one for one in bill.lines if one.component == "compute")
    assert (controller.unit_price_usd, controller.origin) == (Decimal("0.768"), "live")
    assert (workers.unit_price_usd, workers.origin) == (Decimal("22.25"), "live")
    assert "over 90 days: 22.25 to 22.25 USD" in (workers.note or "")
    assert block.unit_price_usd is None
    assert "AWS's offer of 2026-11-20 was 41.5" in (block.note or "")


@pytest.mark.parametrize(
    ("service", "operation", "changes", "action"),
    [
        ("pricing", "GetProducts", {}, "pricing:GetProducts"),
        (
            "sagemaker", "SearchTrainingPlanOfferings", PLAN,
            "sagemaker:SearchTrainingPlanOfferings",
        ),
        ("sagemaker", "DescribeTrainingPlan", PLAN, "sagemaker:DescribeTrainingPlan"),
        (
            "ec2", "DescribeSpotPriceHistory", {"compute.1.capacity": {"kind": "spot"}},
            "ec2:DescribeSpotPriceHistory",
        ),
    ],
)  # fmt: skip
def test_refusal_is_reported_once_and_catalogue_prices_are_used(
    cost: Run,
    monkeypatch: pytest.MonkeyPatch,
    service: str,
    operation: str,
    changes: dict[str, Any],
    action: str,
) -> None:
    fault = {"service": service, "operation": operation, "error": "AccessDeniedException"}
    with local_aws(faults=[fault], unlisted_plans="active"):
        as_the_account(monkeypatch)
        code, answer = cost(changes)
    assert code == 2
    (said,) = answer["live"]["unanswered"]
    assert action in said
    assert len(answer["lines"]) > 5
    if not changes:
        workers = line(answer, "workers")
        assert (workers["unit_price_usd"], workers["origin"]) == (66.048, "catalogue")


def test_catalogue_prices_are_used_without_credentials(
    cost: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    code, answer = cost()
    assert code == 2
    assert "no usable AWS credentials" in answer["live"]["unanswered"][0]
    assert line(answer, "workers")["origin"] == "catalogue"


@pytest.mark.parametrize("empty", [True, False])
def test_empty_price_list_is_not_a_price_of_zero(
    cost: Run, monkeypatch: pytest.MonkeyPatch, empty: bool
) -> None:
    faults = [{"service": "pricing", "operation": "GetProducts", "empty": True}] if empty else []
    with local_aws(faults=faults):
        as_the_account(monkeypatch)
        _, answer = cost()
    workers = line(answer, "workers")
    assert workers["unit_price_usd"] == 66.048
    assert workers["origin"] == ("catalogue" if empty else "live")


# -- answers that nobody foresaw ------------------------------------------------------------------


def product(usd: str, unit: str = "Hrs", usage: str = "USE1-Cluster:ml.p5.48xlarge") -> str:
    dimension = {"unit": unit, "pricePerUnit": {"USD": usd}}
    attributes = {"usagetype": usage}
    return json.dumps(
        {
            "product": {"attributes": attributes},
            "terms": {"OnDemand": {"t": {"priceDimensions": {usd: dimension}}}},
        }
    )


@pytest.mark.parametrize(
    ("price_list", "said"),
    [
        (["{"], "an answer has an unexpected form"),
        (["[]"], "an answer has an unexpected form"),
        ([json.dumps({"product": {}})], "an answer has an unexpected form"),
        ([product("70"), product("71")], "has 2 prices for hyperpod-on-demand of p5.48xlarge"),
        ([product("0")], None),
        ([product("-5")], None),
        ([product("cheap")], None),
        ([product("70", unit="Quantity")], None),
        ([], None),
    ],
)
def test_unexpected_answer_is_not_a_price(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    price_list: list[str],
    said: str | None,
) -> None:
    from clusterwright.aws.session import AwsSession

    def pages(_: AwsSession, service: str, operation: str, **asked: Any) -> Any:
        wanted = asked["ServiceCode"] == "AmazonSageMaker" and "p5.48" in str(asked["Filters"])
        yield {"PriceList": price_list if wanted else []}

    monkeypatch.setattr(AwsSession, "pages", pages)
    path = specs.write(tmp_path / "spec.yaml", specs.SMALL)
    code = main(["cost", str(path), "--live", "--format", "json"])
    captured = capsys.readouterr()
    answer = json.loads(captured.out)
    workers = line(answer, "workers")
    assert (workers["unit_price_usd"], workers["origin"]) == (66.048, "catalogue")
    assert code == (0 if said is None else 2)
    assert [said in text for text in answer["live"]["unanswered"]] == [True] * (said is not None)


@pytest.mark.parametrize("codes", [("AmazonEC2", "AWSParallelComputing"), ("AmazonEC2",)])
def test_pcs_is_recognised_in_the_price_list(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], codes: tuple[str, ...]
) -> None:
    """A price that several products have is the user's to choose, as is a price of none."""
    from clusterwright.aws.session import AwsSession

    def pages(_: AwsSession, service: str, operation: str, **asked: Any) -> Any:
        if operation == "DescribeServices":
            yield {"Services": [{"ServiceCode": code} for code in codes]}
            return
        usages = {"Slurm:Small": "0.61", "Node:Std": "0.07", "Node:Adv": "0.12"}
        products = [product(usd, usage=usage) for usage, usd in usages.items()]
        yield {"PriceList": products if asked["ServiceCode"] == "AWSParallelComputing" else []}

    monkeypatch.setattr(AwsSession, "pages", pages)
    assert main(["cost", "configs/dev-pcs.yaml", "--live", "--format", "json"]) == 2
    answer = json.loads(capsys.readouterr().out)
    controller, managed = line(answer, "PCS controller"), line(answer, "workers: 2 × management")
    (said,) = answer["live"]["unanswered"]
    if len(codes) == 2:
        assert (controller["unit_price_usd"], controller["origin"]) == (0.61, "live")
        assert "has 2 prices for pcs node management in us-east-1 (0.07, 0.12 USD)" in said
    else:
        assert controller["origin"] == "catalogue"
        assert "no product of the Price List was recognised as AWS PCS in us-east-1" in said
    assert managed["unit_price_usd"] is None


def test_unreachable_endpoint_is_reported_without_a_wait(
    cost: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from botocore.exceptions import EndpointConnectionError

    from clusterwright.aws.errors import unavailable
    from clusterwright.aws.session import AwsSession

    def pages(_: AwsSession, service: str, operation: str, **asked: Any) -> Any:
        error = EndpointConnectionError(endpoint_url="https://api.pricing.us-east-1.amazonaws.com")
        raise unavailable(error, service=service, operation=operation, region="us-east-1")
        yield  # pragma: no cover

    monkeypatch.setattr(AwsSession, "pages", pages)
    code, answer = cost()
    assert code == 2
    (said,) = answer["live"]["unanswered"]
    assert "could not be reached" in said
    assert line(answer, "workers")["origin"] == "catalogue"
