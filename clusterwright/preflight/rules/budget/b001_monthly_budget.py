"""A month costs no more than the budget says."""

from __future__ import annotations

from clusterwright.cost.budget import MONTHLY
from clusterwright.preflight.rules.budget.budget_rule import BudgetRule


class MonthlyBudget(BudgetRule):
    id = "CW-B001"
    title = "A month costs no more than its budget"
    scope = "offline"
    budget_path = MONTHLY


RULE = MonthlyBudget()
