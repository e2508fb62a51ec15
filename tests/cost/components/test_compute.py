"""Instances by kind of capacity."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

from clusterwright.catalog import load_catalog
from tests.support import specs
from tests.support.bills import bill_of, line


def rate(**what: Any) -> dict[str, Any]:
    return {"region": "us-east-1", "source": "contract 7", "date": "2026-11-01", **what}


def test_on_demand_instances_have_the_hyperpod_rate(tmp_path: Path) -> None:
    workers = line(bill_of(tmp_path), "workers")
    assert (workers.quantity, workers.unit) == (4, "instance-hour")
    assert workers.unit_price_usd == Decimal("66.048")
    assert workers.hourly_usd == Decimal("264.192")
    assert workers.monthly_usd == Decimal("264.192") * 730
    assert (workers.date, workers.stale) == ("2026-10-04", False)
    assert workers.path == "compute[1].count"


def test_missing_hyperpod_rate_is_not_replaced_by_ec2(tmp_path: Path) -> None:
    bill = bill_of(tmp_path, {"compute.1.instance_type": "p6-b200.48xlarge"})
    catalog = load_catalog()
    assert catalog.instance_price("p6-b200.48xlarge", "us-east-1", "ec2-on-demand").value  # type: ignore[union-attr]
    workers = line(bill, "workers")
    assert workers.unit_price_usd is None
    assert workers.hourly_usd is None
    assert workers.monthly_usd is None
    assert workers.reason
    assert "hyperpod-on-demand" in workers.reason
    assert "adds to the total" in (workers.effect or "")


def test_training_plan_has_the_purchase_price_of_the_user(tmp_path: Path) -> None:
    plan = {"compute.1.capacity": {"kind": "training-plan", "arn": specs.PLAN}}
    unknown = line(bill_of(tmp_path, plan), "workers")
    assert unknown.unit_price_usd is None
    assert "paid upfront" in (unknown.note or "")
    assert "45.7675" in (unknown.note or "")
    paid = rate(
        instance_type="p5.48xlarge", kind="training-plan", usd="41.5", unit="instance-hour"
    )
    known = line(bill_of(tmp_path, plan, rates=[paid]), "workers")
    assert known.hourly_usd == Decimal("166.0")
    assert (known.source, known.user_rate, known.stale) == ("your rate: contract 7", True, False)


def test_spot_has_no_price(tmp_path: Path) -> None:
    workers = line(bill_of(tmp_path, {"compute.1.capacity": {"kind": "spot"}}), "workers")
    assert workers.unit_price_usd is None


def test_empty_groups_cost_nothing_and_have_no_line(tmp_path: Path) -> None:
    bill = bill_of(
        tmp_path,
        {"compute.2": {**specs.SMALL["compute"][1], "name": "later", "count": 0}},
    )
    assert not [line for line in bill.lines if "later" in line.item]
