"""moto's CreateBudget drops `ResourceTags`."""

from __future__ import annotations

from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = "Budgets: CreateBudget keeps the tags that ListTagsForResource answers"


def apply() -> None:
    from moto.budgets.responses import BudgetsResponse

    create_in_moto = BudgetsResponse.create_budget

    def create_budget(self: Any) -> str:
        answer: str = create_in_moto(self)
        name = self._get_param("Budget")["BudgetName"]
        made = self.backend.budgets[self._get_param("AccountId")][name]
        made.tags = {one["Key"]: one["Value"] for one in self._get_param("ResourceTags") or ()}
        return answer

    BudgetsResponse.create_budget = create_budget  # type: ignore[method-assign]
