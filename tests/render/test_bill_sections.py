"""Sections of a bill besides its lines."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from clusterwright.cost.bill_extras import (
    Exchange,
    FileSystemRef,
    Saving,
    Spending,
    SpendingComparison,
    SpendingRow,
)
from clusterwright.render.bill_sections import (
    comparison_text,
    exchange_text,
    exchanged,
    money,
    number,
    parts_text,
    saving_text,
    warnings_text,
)
from clusterwright.render.style import PLAIN
from tests.support.bills import bill_of

YEN = Exchange("JPY", Decimal("150.25"), dt.date(2026, 11, 18), 2)
HOME = FileSystemRef("home", "/home", "openzfs", ("storage", "home"), existing=False)


@pytest.mark.parametrize(
    ("amount", "text"),
    [("0", "0.00"), ("1234.5", "1,234.50"), ("0.01", "0.01"), ("0.0042", "0.0042")],
)
def test_money(amount: str, text: str) -> None:
    assert money(Decimal(amount)) == text


@pytest.mark.parametrize(
    ("quantity", "text"),
    [
        ("12.50", "12.5"),
        ("1000", "1,000"),
        ("0.1234567", "0.123457"),
        ("0.00000123", "0.00000123"),
    ],
)
def test_numbers(quantity: str, text: str) -> None:
    assert number(Decimal(quantity)) == text


def test_a_second_currency() -> None:
    assert exchanged(Decimal(10), YEN) == "1,502"
    assert exchange_text(YEN, PLAIN) == ["", "1 USD is 150.25 JPY (your rate of 2026-11-18)"]
    old = Exchange("EUR", Decimal("0.9"), dt.date(2025, 1, 1), 999)
    assert exchanged(Decimal(10), old) == "9.00"
    assert exchange_text(old, PLAIN)[-1] == "warning: the rate is 999 days old"


def test_idle_and_unused_capacity(tmp_path: Path) -> None:
    bill = bill_of(tmp_path)
    lines = parts_text(bill, PLAIN)
    assert lines[:2] == ["", "while no job runs:"]
    assert "USD an hour; " in lines[2]
    assert lines[2].endswith(" with every compute group at 0 instances")


def test_a_share_of_each_kind(tmp_path: Path) -> None:
    shares = [
        {"percent": 75, "capacity": {"kind": "on-demand"}},
        {"percent": 25, "capacity": {"kind": "spot"}},
    ]
    changes: dict[str, Any] = {"compute.1.capacity": {"kind": "mix", "shares": shares}}
    text = "\n".join(parts_text(bill_of(tmp_path, changes), PLAIN))
    assert "workers: a blend of 4 instances" in text
    assert "3 × on-demand: " in text
    assert "an instance on average: " in text


def test_warnings(tmp_path: Path) -> None:
    bill = bill_of(tmp_path)
    lines = warnings_text(bill, PLAIN)
    assert lines[1:] == [f"warning: {text}" for text in bill.warnings]


def test_the_saving_of_a_deletion() -> None:
    assert saving_text(Saving(HOME, ()), PLAIN) == [
        "",
        "without home (/home):",
        "  0.00 USD an hour and 0.00 USD a month less",
        "  check first that every file is exported: clusterwright check --retire home",
    ]
    existing = FileSystemRef("home", "/home", "openzfs", ("storage", "home"), existing=True)
    assert saving_text(Saving(existing, ()), PLAIN)[2] == (
        "  it exists outside the stacks: its cost is not on this bill"
    )


def test_a_comparison_with_spending() -> None:
    spending = Spending(
        tag="clusterwright:environment",
        value="dev",
        start=dt.date(2026, 11, 1),
        end=dt.date(2026, 11, 20),
        by_service={"EC2": Decimal(120)},
        untagged_by_service={"FSx": Decimal(7)},
        days_with_cost=19,
        last_day=dt.date(2026, 11, 19),
        estimated=False,
        tag_status="Active",
    )
    rows = (
        SpendingRow("instances", Decimal(100), Decimal(120), 0),
        SpendingRow("file systems", Decimal(10), Decimal(0), 1),
    )
    lines = comparison_text(SpendingComparison(spending, rows, ("a note",)), PLAIN)
    assert lines[1] == "spent with clusterwright:environment=dev, 2026-11-01 to 2026-11-19:"
    cells = [line.split() for line in lines[2:]]
    assert cells[1] == ["instances", "100.00", "120.00", "+20.00"]
    assert cells[2][:5] == ["file", "systems", "10.00", "0.00", "-10.00"]
    assert lines[4].endswith("1 line of the bill unknown")
    assert cells[3] == ["total", "110.00", "120.00", "+10.00"]
    assert lines[-2:] == ["  without the tag, in the whole account: 7.00 USD", "  a note"]
