"""The headline: the total, or a scenario and the known parts where instances have no price."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import pytest

from clusterwright.cost.bill import Bill
from clusterwright.cost.budget import gates
from clusterwright.cost.delta import cost_delta
from clusterwright.cost.estimate import estimate
from clusterwright.cost.headline import (
    change_headline,
    change_sentence,
    cost_is_unknown,
    headline,
    money,
    short_headline,
    signed,
)
from tests.support import specs
from tests.support.bills import TODAY, bill_of

WEST = {"region": "us-west-2", "network.availability_zone_id": "usw2-az2"}
P5_WEST = Decimal("55.04")


def test_a_bill_with_prices_of_instances_leads_with_its_total(tmp_path: Path) -> None:
    bill = bill_of(tmp_path, {"compute.0.instance_type": "p5.48xlarge"})
    found = headline(bill)
    assert found.cost == "at least 330.33 USD an hour, 241,140.90 USD a month"
    assert (found.scenario, found.basis, found.known_parts) == (None, None, None)
    assert found.get_the_price is None
    assert found.not_counted is not None
    assert found.not_counted.startswith("not counted: 11 lines without a price or a quantity")
    assert not cost_is_unknown(bill)


def test_a_small_group_without_a_price_is_part_of_the_first_line(tmp_path: Path) -> None:
    bill = bill_of(tmp_path)
    found = headline(bill)
    assert found.lines[:3] == (
        "about 265.05 USD an hour, 193,486.50 USD a month",
        "with EC2's on-demand price, not HyperPod's, for controller",
        "known parts: 264.28 USD an hour, 192,925.86 USD a month",
    )
    assert not cost_is_unknown(bill)


def test_a_cluster_without_prices_of_instances_has_an_unknown_cost(tmp_path: Path) -> None:
    bill = bill_of(tmp_path, {**WEST, "run.hours": 100})
    found = headline(bill)
    assert cost_is_unknown(bill)
    assert found.cost == "cost unknown: no price of controller and workers"
    hourly = 4 * P5_WEST + Decimal("0.768") + 9 * Decimal("0.01")
    assert bill.scenario is not None
    assert bill.scenario.hourly_usd == hourly
    assert found.scenario == (
        f"scenario: {hourly:.2f} USD an hour, {hourly * 730:,.2f} USD a month, "
        f"{hourly * 100:,.2f} USD for a run of 100 h"
    )
    assert found.basis == "with EC2's on-demand price, not HyperPod's, for controller and workers"
    assert found.known_parts == (
        "known parts: 0.09 USD an hour, 65.70 USD a month, 9.00 USD for a run of 100 h"
    )
    assert found.get_the_price == (
        "get the price: `--live` reads it from AWS, or state yours in prices.yaml"
    )
    # The bill itself is unchanged: the scenario is beside it.
    assert bill.total.hourly_usd == Decimal("0.09")
    asked = headline(bill, asked_aws=True).get_the_price
    assert asked == "get the price: AWS was asked and states none; state yours in prices.yaml"


def test_a_group_without_any_price_is_named(tmp_path: Path) -> None:
    bill = bill_of(
        tmp_path,
        {
            "region": "ap-northeast-1",
            "network.availability_zone_id": "apne1-az4",
            "compute.1.instance_type": "trn1.32xlarge",
        },
    )
    found = headline(bill)
    assert cost_is_unknown(bill)
    assert found.basis is not None
    assert found.basis.endswith("for controller; without workers")
    alone = bill_of(
        tmp_path,
        {
            "region": "ap-northeast-1",
            "network.availability_zone_id": "apne1-az4",
            "compute.0.instance_type": "trn1.32xlarge",
            "compute.1.instance_type": "trn1.32xlarge",
        },
    )
    assert headline(alone).lines[1] == (
        "no source has another price of controller and workers in ap-northeast-1"
    )
    assert "scenario" not in short_headline(alone)


def test_many_groups_are_counted(tmp_path: Path) -> None:
    group = specs.SMALL["compute"][1]
    more = {f"compute.{i}": {**group, "name": f"g{i}"} for i in range(2, 7)}
    assert headline(bill_of(tmp_path, {**WEST, **more})).cost == (
        "cost unknown: no price of controller, workers, g2 and 4 more"
    )


def test_volumes_without_a_price_are_in_the_scenario(tmp_path: Path) -> None:
    bill = bill_of(tmp_path, {**WEST, "compute.1.ebs": {"capacity_gib": 100}})
    assert "EC2's gp3 price, not HyperPod's, for volumes of workers" in (
        headline(bill).basis or ""
    )


def changed(tmp_path: Path, count: int) -> tuple[Bill, Bill]:
    return bill_of(tmp_path, WEST), bill_of(tmp_path, {**WEST, "compute.1.count": count})


def test_a_change_without_a_price_leads_with_its_scenario(tmp_path: Path) -> None:
    delta = cost_delta(*changed(tmp_path, 12))
    assert delta.monthly_usd == 0
    assert delta.scenario is not None
    assert delta.scenario.monthly_usd == 8 * P5_WEST * 730
    assert delta.scenario.hourly_usd == 8 * P5_WEST
    first, hint = change_headline(delta)
    assert first.startswith("about +321,433.60 USD a month (")
    basis = "with EC2's on-demand price, not HyperPod's, for workers"
    assert first.endswith(f"{basis}; cost unknown: no price of workers")
    assert change_sentence(delta) == first
    assert "--live" in hint


def test_the_change_of_known_lines_comes_before_unknown_ones(tmp_path: Path) -> None:
    before = bill_of(tmp_path)
    more = {"compute.1.count": 8, "compute.1.ebs": {"capacity_gib": 100}}
    delta = cost_delta(before, bill_of(tmp_path, more))
    assert delta.unknown_changes == 1
    sentence = change_sentence(delta)
    assert re.match(r"\+[0-9,.]+ USD a month of the known lines \(\+[0-9.,]+ %\): ", sentence)
    assert sentence.endswith(" after; unknown: 1 changed line has no known price or quantity")
    volumes = {"compute.1.ebs": {"capacity_gib": 100}}
    assert change_sentence(cost_delta(before, bill_of(tmp_path, volumes))) == (
        "unknown: 1 changed line has no known price or quantity"
    )
    assert change_sentence(cost_delta(before, before)).startswith("no change: ")


def test_a_change_of_known_lines_or_nothing_has_no_scenario(tmp_path: Path) -> None:
    before, same = changed(tmp_path, 4)
    assert change_headline(cost_delta(before, same)) == ()
    more = bill_of(tmp_path, {"compute.1.count": 8})
    assert cost_delta(bill_of(tmp_path), more).scenario is None


def test_a_change_without_an_indication_says_so(tmp_path: Path) -> None:
    place = {"region": "ap-northeast-1", "network.availability_zone_id": "apne1-az4"}
    unsold = {**place, "compute.1.instance_type": "trn1.32xlarge"}
    delta = cost_delta(
        bill_of(tmp_path, unsold), bill_of(tmp_path, {**unsold, "compute.1.count": 9})
    )
    assert delta.scenario is not None
    assert len(delta.scenario.without) == 1
    (only,) = change_headline(delta)
    assert only.endswith("no source has another price of it in ap-northeast-1")


def test_budget_messages_have_the_scenario(tmp_path: Path) -> None:
    spec = specs.load(tmp_path, {**WEST, "budget": {"monthly_usd": 500_000}})
    from clusterwright.catalog import load_catalog

    (gate,) = gates(spec, estimate(spec.cluster, load_catalog(), today=TODAY))
    assert gate.status == "unknown"
    assert "; scenario: 161,343.14 USD (`clusterwright cost` names its prices)" in gate.message


@pytest.mark.parametrize(
    ("usd", "text", "change"),
    [("0", "0.00", "0.00"), ("0.001", "0.0010", "+0.0010"), ("-1234.5", "-1,234.50", "-1,234.50")],
)
def test_amounts_have_cents(usd: str, text: str, change: str) -> None:
    assert (money(Decimal(usd)), signed(Decimal(usd))) == (text, change)
