"""Budget gates: pass, fail or unknown."""

from __future__ import annotations

import dataclasses
import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec import LoadedSpec
from clusterwright.cost.bill import Bill
from clusterwright.cost.budget import gates
from clusterwright.cost.estimate import estimate
from tests.support import specs


def priced(folder: Path, budget: dict[str, Any], **changes: Any) -> tuple[LoadedSpec, Bill]:
    spec = specs.load(folder, {"budget": budget, **changes})
    return spec, estimate(spec.cluster, load_catalog(), today=dt.date(2026, 11, 20))


def complete(bill: Bill) -> Bill:
    return dataclasses.replace(bill, lines=tuple(line for line in bill.lines if line.known))


def test_no_budget_has_no_gate(tmp_path: Path) -> None:
    spec = specs.load(tmp_path)
    bill = estimate(spec.cluster, load_catalog(), today=dt.date(2026, 11, 20))
    assert list(gates(spec, bill)) == []


def test_known_cost_above_the_limit_fails(tmp_path: Path) -> None:
    spec, bill = priced(tmp_path, {"monthly_usd": 1000})
    (gate,) = gates(spec, bill)
    assert gate.status == "fail"
    assert gate.known_usd == bill.total.monthly_usd == Decimal("264.282") * 730
    assert gate.message == "a month costs at least 192,925.86 USD, the budget is 1,000.00 USD"
    assert gate.position
    assert gate.position.source_line.strip() == '"monthly_usd": 1000'


def test_an_unknown_line_makes_a_gate_unknown(tmp_path: Path) -> None:
    spec, bill = priced(tmp_path, {"monthly_usd": 10_000_000})
    (gate,) = gates(spec, bill)
    assert gate.status == "unknown"
    assert f"{bill.total.unknown_lines} lines are unknown" in gate.message


@pytest.mark.parametrize(("limit", "status"), [("192925.86", "pass"), ("192925.85", "fail")])
def test_a_complete_bill_is_compared_to_the_cent(tmp_path: Path, limit: str, status: str) -> None:
    spec, bill = priced(tmp_path, {"monthly_usd": float(limit)})
    (gate,) = gates(spec, complete(bill))
    assert gate.status == status


def test_run_budget_requires_hours(tmp_path: Path) -> None:
    spec, bill = priced(tmp_path, {"run_usd": 2000})
    (gate,) = gates(spec, bill)
    assert (gate.status, gate.known_usd) == ("unknown", None)
    spec, bill = priced(tmp_path, {"run_usd": 2000}, **{"run.hours": 10})
    (gate,) = gates(spec, bill)
    assert gate.status == "fail"
    assert gate.message.startswith("a run of 10 hours costs at least 2,642.82 USD")
