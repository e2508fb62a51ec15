"""Tests of services.budgets.tags."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.mark.usefixtures("aws")
class TestBudgetTags:
    def test_tags_are_added_and_removed(self) -> None:
        budgets, account = client("budgets"), "123456789012"
        budgets.create_budget(
            AccountId=account,
            Budget={
                "BudgetName": "run",
                "BudgetType": "COST",
                "TimeUnit": "MONTHLY",
                "BudgetLimit": {"Amount": "10", "Unit": "USD"},
            },
            ResourceTags=[{"Key": "team", "Value": "a"}],
        )
        arn = f"arn:aws:budgets::{account}:budget/run"

        def tags() -> dict[str, str]:
            found = budgets.list_tags_for_resource(ResourceARN=arn)["ResourceTags"]
            return {item["Key"]: item["Value"] for item in found}

        assert tags() == {"team": "a"}
        new = [{"Key": "team", "Value": "b"}, {"Key": "run", "Value": "7"}]
        budgets.tag_resource(ResourceARN=arn, ResourceTags=new)
        assert tags() == {"team": "b", "run": "7"}
        budgets.untag_resource(ResourceARN=arn, ResourceTagKeys=["team", "other"])
        assert tags() == {"run": "7"}
        budgets.delete_budget(AccountId=account, BudgetName="run")
        assert refusal(budgets.list_tags_for_resource, ResourceARN=arn)[0] == "NotFoundException"
        wrong = refusal(budgets.list_tags_for_resource, ResourceARN="arn:aws:s3:::bucket")
        assert wrong[0] == "InvalidParameterException"
