"""moto's CreateBudget drops `ResourceTags`."""

from __future__ import annotations

from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = "Budgets: CreateBudget keeps the tags that ListTagsForResource answers"
REPRODUCTION = """\
budgets = boto3.client("budgets")
budget = {"BudgetName": "b", "BudgetType": "COST", "TimeUnit": "MONTHLY"}
budget["BudgetLimit"] = {"Amount": "10", "Unit": "USD"}
tags = [{"Key": "team", "Value": "a"}]
budgets.create_budget(AccountId="123456789012", Budget=budget, ResourceTags=tags)
arn = "arn:aws:budgets::123456789012:budget/b"
assert budgets.list_tags_for_resource(ResourceARN=arn)["ResourceTags"] == tags
"""


def apply() -> None:
    from moto.budgets.responses import BudgetsResponse

    create_in_moto = BudgetsResponse.create_budget

    def create_budget(self: Any) -> str:
        answer: str = create_in_moto(self)
        name = self._get_param("Budget")["BudgetName"]
        made = self.backend.budgets[self._get_param("AccountId")][name]
        made.tags = {item["Key"]: item["Value"] for item in self._get_param("ResourceTags") or ()}
        return answer

    BudgetsResponse.create_budget = create_budget  # type: ignore[method-assign]
