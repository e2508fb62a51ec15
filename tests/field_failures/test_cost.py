"""Failures about cost: unknown prices are reported, and nothing unrequested is created."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import Known, load_catalog
from clusterwright.cost.bill import Bill
from clusterwright.cost.estimate import estimate
from tests.field_failures.parts import checked, spec_file
from tests.support import specs
from tests.support.command_line import clusterwright
from tests.support.synthesis import Build

TODAY = dt.date(2026, 11, 20)
NAT = {"network.egress": "nat"}


def cost(path: Path, *arguments: str) -> dict[str, Any]:
    """`clusterwright cost --format json`."""
    answer = clusterwright("cost", path, "--format", "json", *arguments)
    assert answer.exit_code in (0, 1, 2), answer.err
    found: dict[str, Any] = json.loads(answer.out)
    assert found["exit_code"] == answer.exit_code
    return found


def lines(answer: dict[str, Any], text: str) -> list[dict[str, Any]]:
    return [line for line in answer["lines"] if text in line["item"]]


def bill_of(folder: Path, changes: dict[str, Any]) -> Bill:
    spec = specs.load(folder, changes)
    return estimate(spec.cluster, load_catalog(), today=TODAY)


def test_parallelcluster_5359_nat_is_off_by_default_and_priced(
    tmp_path: Path, build: Build
) -> None:
    closed, nat = cost(spec_file(tmp_path)), cost(spec_file(tmp_path, NAT))
    assert lines(closed, "NAT gateway") == []
    assert build(specs.SMALL).resources("AWS::EC2::NatGateway") == {}
    (gateway,) = [line for line in lines(nat, "NAT gateway") if line["item"] == "NAT gateway"]
    # An hourly price, idle or not, and a line for the processed data.
    assert gateway["hourly_usd"] > 0
    assert gateway["monthly_usd"] == pytest.approx(730 * gateway["hourly_usd"])
    assert gateway["source"]
    assert gateway["date"]
    (data,) = lines(nat, "NAT gateway: data")
    assert data["quantity"] is None
    assert data["monthly_usd"] is None
    assert len(build(specs.changed(NAT)).resources("AWS::EC2::NatGateway")) == 1


def test_skypilot_4657_unknown_price_is_a_line_and_not_zero(tmp_path: Path) -> None:
    """Every HyperPod type with every capacity kind, in regions with and without prices."""
    catalog = load_catalog()
    plan = {"kind": "training-plan", "arn": specs.PLAN}
    unknown_types = set()
    for region, zone in (("us-east-1", "use1-az6"), ("us-west-2", "usw2-az2")):
        for name in sorted(catalog.hyperpod_names):
            changes = {
                "region": region,
                "network.availability_zone_id": zone,
                "compute.1.instance_type": name,
            }
            bill = bill_of(tmp_path, changes)
            (line,) = [line for line in bill.lines if line.item.startswith("workers: ")]
            price = catalog.instance_price(name, region, "hyperpod-on-demand")
            if isinstance(price, Known):
                assert line.unit_price_usd == price.value.usd > Decimal("0.05")
                continue
            unknown_types.add((region, name))
            assert line.unit_price_usd is line.hourly_usd is line.monthly_usd is None
            assert line.reason
            assert bill.total.at_least
            assert bill.total.unknown_lines >= 1
    assert {("us-east-1", "p6-b200.48xlarge"), ("us-west-2", "p5.48xlarge")} <= unknown_types

    # Prepaid capacity has no list price: unknown, neither 0 nor the on-demand price.
    (line,) = [
        line
        for line in bill_of(tmp_path, {"compute.1.capacity": plan}).lines
        if line.item.startswith("workers: ")
    ]
    assert line.unit_price_usd is None
    assert "paid upfront" in (line.note or "")

    # A budget with unknown prices does not pass.
    budget = {"compute.1.capacity": plan, "budget": {"monthly_usd": 10_000_000}}
    found = checked(tmp_path, budget, "--offline", "--only", "CW-B001")
    assert (found.exit_code, found.status("CW-B001")) == (2, "unknown")


def test_infracost_1600_lustre_has_a_price_by_tier(tmp_path: Path) -> None:
    catalog = load_catalog()
    seen = {}
    for throughput in (125, 250, 500, 1000):
        lustre = {**specs.LUSTRE, "efa": False, "throughput_mbps_per_tib": throughput}
        answer = cost(spec_file(tmp_path, {"storage.lustre": [lustre]}))
        (line,) = lines(answer, f"PERSISTENT_2 SSD {throughput}")
        assert (line["component"], line["quantity"]) == ("lustre", 4800)
        fact = catalog.service_price("fsx_lustre", f"PERSISTENT_2 SSD {throughput}", "us-east-1")
        if isinstance(fact, Known):
            assert line["monthly_usd"] == pytest.approx(float(4800 * fact.value.usd))
            seen[throughput] = line["monthly_usd"]
        else:
            assert line["monthly_usd"] is None
    assert len(seen) >= 2
    assert sorted(seen.values()) == [seen[tier] for tier in sorted(seen)]


@pytest.mark.parametrize(("limit_usd", "exit_code"), [(1_000, 1), (100_000_000, 2)])
def test_parallelcluster_3205_budget_is_a_gate(
    tmp_path: Path, build: Build, limit_usd: int, exit_code: int
) -> None:
    budget = {"monthly_usd": limit_usd, "alert_emails": ["money@acme.example"]}
    found = checked(tmp_path, {"budget": budget}, "--offline", "--only", "CW-B001")
    assert found.exit_code == exit_code
    if exit_code == 1:
        finding = found.one("CW-B001")
        assert finding["limit"] == limit_usd
        assert finding["requested"] > limit_usd
    assert cost(spec_file(tmp_path, {"budget": budget}))["exit_code"] == exit_code
    # AWS monitors the same limit after the deployment.
    (aws_budget,) = (
        build(specs.changed({"budget": budget})).resources("AWS::Budgets::Budget").values()
    )
    limit = aws_budget["Properties"]["Budget"]["BudgetLimit"]
    assert (limit["Amount"], limit["Unit"]) == (limit_usd, "USD")


def test_karpenter_4136_user_rates_replace_list_prices(tmp_path: Path) -> None:
    path = spec_file(tmp_path)
    (listed,) = lines(cost(path), "workers: ")
    rate = {
        "instance_type": "p5.48xlarge",
        "kind": "hyperpod-on-demand",
        "region": "us-east-1",
        "usd": "12.34",
        "unit": "instance-hour",
        "source": "contract 7",
        "date": "2026-11-01",
    }
    (tmp_path / "prices.yaml").write_text(json.dumps({"rates": [rate]}), encoding="utf-8")
    (own,) = lines(cost(path), "workers: ")
    assert own["unit_price_usd"] == 12.34 != listed["unit_price_usd"]
    assert own["source"] == "your rate: contract 7"
    # Neither the bill nor the budget rule opened a connection: sockets are disabled.
