"""Spending compared with a bill."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path

from clusterwright.cost.bill_extras import Spending
from clusterwright.cost.spending_comparison import compare, family_of, instances_usd
from tests.support.bills import bill_of


def test_services_have_families() -> None:
    assert family_of("Amazon SageMaker") == "instances"
    assert family_of("AWS Support (Business)") == "support"
    assert family_of("a new service") == "other"


def test_the_part_of_the_instances() -> None:
    found = {"Amazon SageMaker": Decimal(4), "Amazon FSx": Decimal(2)}
    assert instances_usd(found) == 4
    assert instances_usd({}) == 0


def test_the_bill_is_multiplied_by_the_days_with_cost(tmp_path: Path) -> None:
    spending = Spending(
        tag="clusterwright:environment",
        value="test",
        start=dt.date(2026, 11, 1),
        end=dt.date(2026, 11, 8),
        by_service={"Amazon SageMaker": Decimal(1000), "a new service": Decimal(5)},
        untagged_by_service=None,
        days_with_cost=2,
        last_day=dt.date(2026, 11, 3),
        estimated=True,
        tag_status="Active",
    )
    bill = bill_of(tmp_path)
    found = compare(bill, spending)
    rows = {row.family: row for row in found.rows}
    assert rows["instances"].actual_usd == 1000
    assert rows["other"].actual_usd == 5
    assert found.expected_usd == sum(line.hourly_usd or 0 for line in bill.lines) * 48
    assert any("compared over the 2 of 7 days" in note for note in found.notes)
    assert found.untagged_usd is None
