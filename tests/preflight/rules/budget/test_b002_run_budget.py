"""Tests of CW-B002."""

from __future__ import annotations

from tests.preflight.harness import Harness


def test_run_budget_is_compared(rule: Harness) -> None:
    path = "budget.run_usd"
    rule.fails(
        "CW-B002",
        {"budget.run_usd": 1000, "run.hours": 10},
        path=path,
        message="a run of 10 hours costs at least 2,642.82 USD",
    )
    rule.unsure(
        "CW-B002", {"budget.run_usd": 1000}, path=path, message="the hours of a run are not known"
    )
    rule.passes("CW-B002", tested=False)
