"""A bill as text, JSON and Markdown."""

from __future__ import annotations

import dataclasses
import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from clusterwright.cluster_spec.problems import Position
from clusterwright.cost.bill import Bill, Gate, Indication, Line
from clusterwright.cost.bill_extras import CostExtras, Exchange
from clusterwright.render.bill import bill_markdown, bill_text


def line(**changes: Any) -> Line:
    values: dict[str, Any] = {
        "component": "compute",
        "item": "workers: ml.p5.48xlarge, on-demand",
        "quantity": Decimal(2),
        "unit": "instance-hour",
        "per": "hour",
        "unit_price_usd": Decimal("66.048"),
        "source": "AWS Pricing API",
        "date": "2026-10-04",
        "path": "compute[1].count",
    }
    return Line(**{**values, **changes})


UNPRICED = line(
    component="identity",
    item="KMS key",
    quantity=Decimal(1),
    unit="key-month",
    per="month",
    unit_price_usd=None,
    source=None,
    date=None,
    reason="no price of kms key in us-east-1 is in any source",
    rate="{service: kms, item: key}",
)


BY_USE = line(
    component="objects",
    item="S3 | storage",
    quantity=None,
    unit="GB-month",
    per="month",
    unit_price_usd=Decimal("0.023"),
    source="golden",
    date="2024-07-01",
    stale=True,
    reason="the quantity depends on use",
)


BILL = Bill("prod", "us-east-1", "hyperpod-slurm", Decimal("2160.0"), (line(), UNPRICED, BY_USE))


GATE = Gate(
    "budget.monthly_usd",
    Position("prod.yaml", 3, 16, 4, "  monthly_usd: 1000"),
    Decimal(1000),
    Decimal("96430.08"),
    "fail",
    "a month costs at least 96,430.08 USD, the budget is 1,000.00 USD",
)


TEXT = """\
prod in us-east-1 on hyperpod-slurm

at least 132.10 USD an hour, 96,430.08 USD a month, 285,327.36 USD for a run of 2,160 h
not counted: 2 lines without a price or a quantity, 1 of them charged by use (identity, objects)

                                      quantity  unit           USD/unit  USD/hour   USD/month
compute
  workers: ml.p5.48xlarge, on-demand         2  instance-hour    66.048    132.10   96,430.08  [1]
identity
  KMS key                                    1  key-month       unknown         ?           ?
objects
  S3 | storage                          by use  GB-month          0.023         ?           ?  [2]
total                                                          at least    132.10   96,430.08
run of 2,160 h                                                 at least            285,327.36

while no job runs:
  at least 132.10 USD an hour; 132.10 with every compute group at 0 instances

price unknown (1 line), adds to the total
  no price of kms key in us-east-1 is in any source

hint: state your rates in prices.yaml:
  rates:
    - {service: kms, item: key}

by use (1 line), adds to the total
  state monthly quantities in prices.yaml, under `usage`

prices:
  [1] AWS Pricing API, 2026-10-04
  [2] golden, 2024-07-01 (stale)
  stale: older than 90 days, or undated

error: a month costs at least 96,430.08 USD, the budget is 1,000.00 USD
  prod.yaml:3:16
   3 |   monthly_usd: 1000
     |                ^^^^
"""


def test_full_text() -> None:
    assert bill_text(BILL, [GATE]) == TEXT


UNPRICED_GROUP = dataclasses.replace(
    line(),
    unit_price_usd=None,
    source=None,
    date=None,
    reason="no price",
    indication=Indication("EC2's price, not HyperPod's", Decimal("55.04"), "list", "2026-11-01"),
)


def test_a_scenario_leads_and_has_a_column() -> None:
    bill = dataclasses.replace(BILL, lines=(UNPRICED_GROUP, *BILL.lines[1:]))
    lines = bill_text(bill, []).splitlines()
    assert lines[2:7] == [
        "cost unknown: no price of workers: ml.p5.48xlarge, on-demand",
        "scenario: 110.08 USD an hour, 80,358.40 USD a month, 237,772.80 USD for a run of 2,160 h",
        "with EC2's price, not HyperPod's, for workers: ml.p5.48xlarge, on-demand",
        "known parts: 0.00 USD an hour, 0.00 USD a month, 0.00 USD for a run of 2,160 h",
        "not counted: 2 lines without a price or a quantity, 1 of them charged by use (identity, "
        "objects)",
    ]
    header = next(text for text in lines if "quantity" in text and "USD/unit" in text)
    assert header.rstrip().endswith("indicative")
    (total,) = [text for text in lines if text.startswith("total of known parts")]
    assert total.split()[-1] == "80,358.40"
    markdown = bill_markdown(bill, [])
    assert markdown.startswith("### Cost of prod: **cost unknown: no price of workers")
    assert "| indicative, USD/month |" in markdown
    asked = bill_text(
        bill, [], extras=CostExtras(live=(), asked_for_prices=True, remembered_in="/cache/x.json")
    )
    assert "get the price: AWS was asked and states none" in asked
    assert "  AWS's prices are remembered in /cache/x.json" in asked


def test_bill_without_unknown_lines_has_no_note() -> None:
    bill = Bill("prod", "us-east-1", "hyperpod-slurm", None, (line(),))
    text = bill_text(bill, [])
    assert "at least" not in text
    assert "unknown" not in text
    assert "run of" not in text


def test_markdown_begins_with_the_verdict_and_has_a_valid_table() -> None:
    text = bill_markdown(BILL, [GATE])
    assert text.startswith("### Cost of prod: at least **96,430.08 USD per month**\n")
    assert "budget **fail**" in text
    rows = [row for row in text.splitlines() if row.startswith("|")]
    assert {row.replace("\\|", "").count("|") for row in rows} == {8}
    assert text.count("<details>") == text.count("</details>") == 2


YEN = Exchange("JPY", Decimal("150.25"), dt.date(2026, 11, 18), 2)


@pytest.mark.parametrize(
    ("item", "count", "unit", "left_out"),
    [
        ("g", 2, "hour", ""),
        ("workers: p5", 2, "instance-hour", "USD/hour"),
        ("workers: ml.p5.48xlarge", 2, "instance-hour", "USD/unit, USD/hour"),
        ("x" * 60, 640, "100000 messages", "unit, USD/unit, USD/hour"),
        ("x" * 60, 64_000, "instance-hour", "unit, USD/unit, USD/hour"),
    ],
)  # fmt: skip
def test_a_table_with_a_second_currency_fits(
    item: str, count: int, unit: str, left_out: str
) -> None:
    other = dataclasses.replace(UNPRICED_GROUP, item="g")
    lines = (line(item=item, quantity=Decimal(count), unit=unit), other)
    bill = dataclasses.replace(BILL, lines=lines if left_out else lines[:1])
    found = bill_text(bill, [], extras=CostExtras(exchange=YEN)).splitlines()
    start = next(n for n, text in enumerate(found) if text.split()[:1] == ["quantity"])
    end = next(n for n, text in enumerate(found) if text.startswith("run of"))
    table = found[start : end + 1]
    assert max(map(len, table)) <= 100
    after = found[end + 1]
    assert after == (
        f"left out to fit 100 columns: {left_out} (`--format json` has them)" if left_out else ""
    )
    for name in ("unit", "USD/unit", "USD/hour"):
        assert (name in table[0].split()) is (name not in left_out.split(", "))
    month = count * Decimal("66.048") * 730
    assert f"{month:,.2f}" in "\n".join(table)
    assert f"{month * Decimal('150.25'):,.0f}" in "\n".join(table)
    if left_out:
        assert "at least" in table[-1]


def test_a_table_without_a_second_currency_keeps_its_columns() -> None:
    head = next(text for text in bill_text(BILL, []).splitlines() if "USD/unit" in text)
    assert head.split() == ["quantity", "unit", "USD/unit", "USD/hour", "USD/month"]
