"""Tests of CW-E006."""

from __future__ import annotations

from clusterwright.preflight.facts.deployment import (
    BudgetNamed,
)
from tests.preflight.harness import Harness
from tests.preflight.rules.support.names import ALREADY, HERE, stacks
from tests.support import specs


def test_existing_budget_is_reported(rule: Harness) -> None:
    changes = {"budget": {"monthly_usd": 10, "alert_emails": ["a@acme.example"]}}
    fact = BudgetNamed(specs.ACCOUNT, "test-monthly")
    rule.fails("CW-E006", changes, {fact: True, **stacks()}, path=HERE, message=ALREADY)
    rule.passes("CW-E006", changes, {fact: False, **stacks()})
    own = stacks(("AWS::Budgets::Budget", "test-monthly"))
    rule.passes("CW-E006", changes, {fact: True, **own})
    rule.passes("CW-E006", {"budget": {"run_usd": 10}}, tested=False)
