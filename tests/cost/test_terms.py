"""Discounts, Savings Plans, purchases, spares, mixes: recomputed here from the sources' figures.

Hourly, us-east-1: HyperPod p5.48xlarge 66.048 (Price List copy of 2026-10-04).
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.document import parse_document
from clusterwright.cluster_spec.models import Cluster
from clusterwright.cost.bill import Bill, Line
from clusterwright.cost.estimate import estimate
from clusterwright.cost.terms import Usage
from clusterwright.cost.user_prices import parse
from clusterwright.platforms.loading import load_cluster
from tests.support import specs

TODAY = dt.date(2026, 11, 20)


P5 = Decimal("66.048")
ENDPOINTS = 9 * Decimal("0.01")
"""The interface endpoints of the spec, USD an hour."""


PLAN = {"kind": "training-plan", "arn": specs.PLAN}


def bill_of(
    folder: Path, changes: dict[str, Any] | None = None, text: str = "", **more: Any
) -> Bill:
    spec = specs.load(folder, changes)
    own = parse(parse_document(text or "usage: {}", "prices.yaml"))
    catalog = load_catalog(prices_override=own.rates)
    return estimate(spec.cluster, catalog, today=TODAY, terms=own.terms, usage=own.usage, **more)


def compute(bill: Bill) -> list[Line]:
    return [line for line in bill.lines if line.component == "compute"]


def purchase(**changes: Any) -> str:
    entry = {
        "id": specs.PLAN, "instances": 16, "hours": 720, "upfront_usd": 518400,
        "start": "2026-12-01", "end": "2026-12-31", "source": "invoice 7", "date": "2026-11-01",
        **changes,
    }  # fmt: skip
    fields = ", ".join(f'{key}: "{value}"' if isinstance(value, str) else f"{key}: {value}"
                       for key, value in entry.items() if value is not None)  # fmt: skip
    return f"purchases:\n  - {{{fields}}}\n"


class TestDiscounts:
    TEXT = 'discounts: [{service: hyperpod, percent: 12.5, source: "EDP", date: 2026-01-01}]\n'

    def test_discount_applies_to_the_list_price_with_a_note(self, tmp_path: Path) -> None:
        workers = compute(bill_of(tmp_path, text=self.TEXT))[1]
        assert workers.unit_price_usd == P5 * 7 / 8
        assert "list price 66.048 USD less 12.5 %" in (workers.note or "")
        assert (workers.origin, workers.date) == ("catalogue", "2026-10-04")

    def test_user_rate_is_not_discounted(self, tmp_path: Path) -> None:
        rate = (
            "rates: [{instance_type: p5.48xlarge, kind: hyperpod-on-demand, region: us-east-1, "
            "usd: 50, unit: instance-hour, source: s, date: 2026-11-01}]\n"
        )
        workers = compute(bill_of(tmp_path, text=rate + self.TEXT))[1]
        assert (workers.unit_price_usd, workers.origin) == (50, "user")

    def test_wildcard_discount_excludes_services_with_their_own(self, tmp_path: Path) -> None:
        text = (
            "discounts:\n"
            '  - {service: "*", percent: 10, source: s, date: 2026-01-01}\n'
            "  - {service: fsx_lustre, percent: 50, source: s, date: 2026-01-01}\n"
        )
        bill = bill_of(tmp_path, {"storage.lustre": [specs.LUSTRE]}, text)
        prices = {line.component: line.unit_price_usd for line in bill.lines if line.known}
        assert prices["compute"] == P5 * 9 / 10
        assert prices["lustre"] == Decimal("0.6") / 2


class TestSavingsPlans:
    def text(self, committed: str = "") -> str:
        more = f", commitment_usd_per_hour: {committed}" if committed else ""
        return (
            "savings_plans: [{instance_type: p5.48xlarge, covers: hyperpod-on-demand, "
            f"region: us-east-1, usd: 48{more}, source: SP-1, date: 2026-06-30}}]\n"
        )

    def test_commitment_covers_instances_and_the_rest_is_on_demand(self, tmp_path: Path) -> None:
        _, covered, rest = compute(bill_of(tmp_path, text=self.text("120")))
        assert (covered.quantity, covered.unit_price_usd) == (Decimal("2.5"), 48)
        assert (rest.quantity, rest.unit_price_usd) == (Decimal("1.5"), P5)
        assert (covered.origin, covered.source) == ("user", "your Savings Plan: SP-1")
        assert not covered.releasable
        assert rest.releasable

    def test_unused_commitment_is_a_line(self, tmp_path: Path) -> None:
        bill = bill_of(tmp_path, text=self.text("250"))
        _, covered, unused = compute(bill)
        assert covered.quantity == 4
        assert unused.hourly_usd == 250 - 4 * 48
        (one,) = bill.unused
        assert one.hourly_usd == 58
        assert sum(line.hourly_usd or 0 for line in bill.lines if line.group == "workers") == 192
        assert bill.total.hourly_usd == 250 + ENDPOINTS

    def test_plan_without_a_commitment_covers_everything(self, tmp_path: Path) -> None:
        _, covered = compute(bill_of(tmp_path, text=self.text()))
        assert (covered.quantity, covered.hourly_usd) == (4, 192)

    def test_groups_of_one_type_share_a_commitment_in_order(self, tmp_path: Path) -> None:
        group = specs.SMALL["compute"][1]
        changes = {
            "compute.2": {**group, "name": "more", "count": 3},
            "compute.3": {**group, "name": "spare", "count": 2, "capacity": {"kind": "spot"}},
        }
        lines = compute(bill_of(tmp_path, changes, self.text("240")))
        found = [(line.item, line.quantity, line.unit_price_usd) for line in lines[1:]]
        assert found == [
            ("workers: ml.p5.48xlarge, on-demand, Savings Plan", 4, 48),
            ("more: ml.p5.48xlarge, on-demand, Savings Plan", 1, 48),
            ("more: ml.p5.48xlarge, on-demand", 2, P5),
            ("spare: ml.p5.48xlarge, spot", 2, None),
        ]

    def test_ec2_plan_does_not_cover_hyperpod(self, tmp_path: Path) -> None:
        text = self.text().replace("hyperpod-on-demand", "ec2-on-demand")
        (workers,) = [li for li in compute(bill_of(tmp_path, text=text)) if li.group == "workers"]
        assert workers.unit_price_usd == P5


def test_usage_per_node_grows_with_the_cluster(tmp_path: Path) -> None:
    text = (
        "usage:\n  logs/ingestion: {per_node_hour: 0.02}\n"
        "  nat_gateway/data processed: {per_node_month: 3}\n"
    )
    bill = bill_of(tmp_path, {"network.egress": "nat"}, text)
    lines = {line.item: line for line in bill.lines}
    assert lines["CloudWatch logs: ingestion"].quantity == Decimal("0.02") * 730 * 5
    nat = lines["NAT gateway: data"]
    assert (nat.quantity, nat.monthly_usd) == (15, 15 * Decimal("0.045"))
    assert nat.note == "your usage: 3 per node and month, 5 nodes"


TWO_RATES = (
    "rates:\n"
    "  - {instance_type: p5.48xlarge, kind: training-plan, region: us-east-1, usd: 45,"
    " unit: instance-hour, source: s, date: 2026-11-01}\n"
    "  - {instance_type: p5.48xlarge, kind: hyperpod-spot, region: us-east-1, usd: 20,"
    " unit: instance-hour, source: s, date: 2026-11-01}\n"
)


SMALLEST = specs.changed({"storage.lustre": [specs.LUSTRE], "network.egress": "nat"})


def cluster_with(folder: Path, count: int, kind: str) -> Cluster:
    capacity = PLAN if kind == "training-plan" else {"kind": kind}
    data = specs.changed({"compute.1.count": count, "compute.1.capacity": capacity}, SMALLEST)
    return load_cluster(specs.write(folder / "spec.yaml", data)).cluster


@given(
    counts=st.tuples(st.integers(1, 6000), st.integers(1, 6000)).map(sorted),
    kind=st.sampled_from(["on-demand", "spot", "training-plan"]),
    per_node=st.decimals("0", "5", places=3),
)
@settings(max_examples=40)
def test_more_instances_never_cost_less(
    tmp_path_factory: pytest.TempPathFactory, counts: list[int], kind: str, per_node: Decimal
) -> None:
    folder = tmp_path_factory.getbasetemp()
    usage = {"nat_gateway/data processed": Usage(per_node, "node_hour")}
    small, large = (
        estimate(cluster_with(folder, count, kind), load_catalog(), today=TODAY, usage=usage)
        for count in counts
    )
    assert small.total.hourly_usd <= large.total.hourly_usd
    assert small.total.monthly_usd <= large.total.monthly_usd
    assert small.idle.hourly_usd <= large.idle.hourly_usd
    assert [line.item for line in small.unknown] == [line.item for line in large.unknown]
    for bill in (small, large):
        known = sum((line.monthly_usd or 0 for line in bill.lines), Decimal(0))
        assert bill.total.monthly_usd == pytest.approx(known)
        assert bill.total.unknown_lines == sum(line.monthly_usd is None for line in bill.lines)
        assert all(line.reason for line in bill.unknown)
        assert bill.idle.at_zero_hourly_usd <= bill.idle.hourly_usd <= bill.total.hourly_usd


@given(settled=st.sets(st.integers(0, 40)))
@settings(max_examples=30)
def test_rate_prices_only_its_own_lines(
    tmp_path_factory: pytest.TempPathFactory, settled: set[int]
) -> None:
    folder = tmp_path_factory.getbasetemp()
    cluster = cluster_with(folder, 4, "spot")
    before = estimate(cluster, load_catalog(), today=TODAY)
    entries = list(dict.fromkeys(line.rate for line in before.lines if line.rate))
    chosen = [entry for index, entry in enumerate(entries) if index in settled]
    rates = [
        parse_document("a: " + entry.replace("usd: ...", "usd: 2").replace("...", "x"), "x").data[
            "a"
        ]
        for entry in chosen
    ]
    after = estimate(cluster, load_catalog(prices_override=rates), today=TODAY)
    assert [line.item for line in after.lines] == [line.item for line in before.lines]
    for old, new in zip(before.lines, after.lines, strict=True):
        if old.rate in chosen:
            assert (new.unit_price_usd, new.origin) == (2, "user")
        else:
            assert new.unit_price_usd == old.unit_price_usd


def test_agreed_prices_are_never_stale(tmp_path: Path) -> None:
    text = purchase(date="2024-01-01") + TestSavingsPlans().text().replace(
        "2026-06-30", "2024-01-01"
    )
    bill = bill_of(tmp_path, {"compute.1.capacity": PLAN}, text)
    assert not [line for line in compute(bill) if line.stale]
    old = TWO_RATES.replace("2026-11-01", "2026-08-21")
    rated = bill_of(tmp_path, {"compute.1.capacity": PLAN}, old)
    assert [line.stale for line in compute(rated)] == [False, True]
    assert any("older than 90 days, or undated (compute" in text for text in rated.warnings)


def test_savings_plan_of_another_type_is_not_on_the_bill(tmp_path: Path) -> None:
    text = TestSavingsPlans().text("100").replace("p5.48xlarge", "g5.8xlarge")
    assert len(compute(bill_of(tmp_path, text=text))) == 2
