"""The cost of the run is within its budget."""

from __future__ import annotations

from clusterwright.cost.budget import RUN
from clusterwright.preflight.rules.budget.budget_rule import BudgetRule


class RunBudget(BudgetRule):
    id = "CW-B002"
    budget_path = RUN
