"""Tests of budget."""

from __future__ import annotations

from tests.stacks.templates import only
from tests.support.rich_specs import FULL, MINIMAL, changed
from tests.support.synthesis import Build


def test_budget_has_thresholds_and_addresses(build: Build) -> None:
    budget = only(build(FULL), "AWS::Budgets::Budget")
    assert budget["Budget"]["BudgetLimit"] == {"Amount": 1000000, "Unit": "USD"}
    assert budget["Budget"]["TimeUnit"] == "MONTHLY"
    assert [
        (n["Notification"]["Threshold"], [s["Address"] for s in n["Subscribers"]])
        for n in budget["NotificationsWithSubscribers"]
    ] == [(50, ["ml@example.com"]), (100, ["ml@example.com"])]


def test_no_budget_without_a_monthly_limit(build: Build) -> None:
    assert not build(MINIMAL).resources("AWS::Budgets::Budget")
    assert not build(changed(MINIMAL, budget={"run_usd": 5})).resources("AWS::Budgets::Budget")
