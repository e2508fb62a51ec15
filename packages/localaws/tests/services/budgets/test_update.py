"""Tests of services.budgets.update."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

ACCOUNT = "123456789012"


@pytest.mark.usefixtures("aws")
class TestAdded:
    def test_budget_is_updated(self) -> None:
        budgets = client("budgets")

        def budget(name: str, usd: str | None) -> dict[str, Any]:
            limit = {"BudgetLimit": {"Amount": usd, "Unit": "USD"}} if usd else {}
            return {"BudgetName": name, "TimeUnit": "MONTHLY", "BudgetType": "COST", **limit}

        budgets.create_budget(AccountId=ACCOUNT, Budget=budget("b", "10"))
        before = budgets.describe_budget(AccountId=ACCOUNT, BudgetName="b")["Budget"]
        budgets.update_budget(AccountId=ACCOUNT, NewBudget=budget("b", "20"))
        after = budgets.describe_budget(AccountId=ACCOUNT, BudgetName="b")["Budget"]
        assert after["BudgetLimit"]["Amount"] == "20"
        assert after["TimePeriod"] == before["TimePeriod"]
        update = budgets.update_budget
        absent = refusal(update, AccountId=ACCOUNT, NewBudget=budget("c", "1"))
        assert absent[0] == "NotFoundException"
        endless = refusal(update, AccountId=ACCOUNT, NewBudget=budget("b", None))
        assert endless[0] == "InvalidParameterException"
