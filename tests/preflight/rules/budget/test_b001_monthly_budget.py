"""Tests of CW-B001."""

from __future__ import annotations

import pytest

from tests.preflight.harness import Harness


def test_monthly_budget_is_compared(rule: Harness) -> None:
    path = "budget.monthly_usd"
    finding = rule.fails(
        "CW-B001",
        {"budget.monthly_usd": 1000},
        path=path,
        message="a month costs at least 192,925.86 USD, the budget is 1,000.00 USD",
        severity="error",
        numbers=(192925.86, None, 1000.0),
    )
    assert finding.where == "USD"
    rule.unsure(
        "CW-B001", {"budget.monthly_usd": 10_000_000}, path=path, message="lines are unknown"
    )
    rule.passes("CW-B001", tested=False)


def test_budget_with_a_complete_bill_passes(
    rule: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    from clusterwright.cost import estimate
    from clusterwright.cost.components import compute

    # In the small spec only p5 instances have a price; without the other components
    # and with a controller of the same type, nothing is unknown.
    monkeypatch.setattr(estimate, "COMPONENTS", (compute.lines,))
    monkeypatch.setattr(estimate, "DEPENDENT_COMPONENTS", ())
    changes = {"compute.0.instance_type": "p5.48xlarge", "run.hours": 1}
    limit = {"budget.monthly_usd": 241_075.20, "budget.run_usd": 330.24}
    rule.passes("CW-B001", {**changes, **limit})
    rule.passes("CW-B002", {**changes, **limit})
    tight = {"budget.monthly_usd": 241_075.19, "budget.run_usd": 330.23}
    rule.fails("CW-B001", {**changes, **tight}, path="budget.monthly_usd", message="a month costs")
    rule.fails("CW-B002", {**changes, **tight}, path="budget.run_usd", message="a run of 1 hours")
