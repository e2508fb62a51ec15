"""The monthly cost is within its budget."""

from __future__ import annotations

from clusterwright.cost.budget import MONTHLY
from clusterwright.preflight.rules.budget.budget_rule import BudgetRule


class MonthlyBudget(BudgetRule):
    id = "CW-B001"
    budget_path = MONTHLY
