"""A run costs no more than the budget says."""

from __future__ import annotations

from clusterwright.cost.budget import RUN
from clusterwright.preflight.rules.budget.budget_rule import BudgetRule


class RunBudget(BudgetRule):
    id = "CW-B002"
    title = "A run costs no more than its budget"
    scope = "offline"
    budget_path = RUN


RULE = RunBudget()
