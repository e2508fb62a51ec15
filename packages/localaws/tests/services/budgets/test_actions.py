"""Actions of budgets."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import client

ACCOUNT = "123456789012"
IAM: dict[str, Any] = {
    "AccountId": ACCOUNT,
    "BudgetName": "team",
    "NotificationType": "ACTUAL",
    "ActionType": "APPLY_IAM_POLICY",
    "ActionThreshold": {"ActionThresholdValue": 90, "ActionThresholdType": "PERCENTAGE"},
    "Definition": {
        "IamActionDefinition": {
            "PolicyArn": f"arn:aws:iam::{ACCOUNT}:policy/stop",
            "Roles": ["deployer"],
        }
    },
    "ExecutionRoleArn": f"arn:aws:iam::{ACCOUNT}:role/budgets",
    "ApprovalModel": "AUTOMATIC",
    "Subscribers": [{"SubscriptionType": "EMAIL", "Address": "ml@acme.example"}],
}


def budget() -> None:
    client("budgets").create_budget(
        AccountId=ACCOUNT,
        Budget={
            "BudgetName": "team",
            "BudgetType": "COST",
            "TimeUnit": "MONTHLY",
            "BudgetLimit": {"Amount": "100", "Unit": "USD"},
        },
    )


def actions() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client("budgets").describe_budget_actions_for_account(
        AccountId=ACCOUNT
    )["Actions"]
    return found


def test_actions_of_every_budget_are_listed() -> None:
    with local_aws(account=ACCOUNT):
        assert actions() == []
        budget()
        made = client("budgets").create_budget_action(**IAM)
        (found,) = actions()
        assert found["ActionId"] == made["ActionId"]
        assert found["Definition"] == IAM["Definition"]
        assert found["Status"] == "STANDBY"


def test_action_needs_a_budget_and_the_definition_of_its_type() -> None:
    with local_aws(account=ACCOUNT):
        with pytest.raises(ClientError, match="NotFoundException"):
            client("budgets").create_budget_action(**IAM)
        budget()
        with pytest.raises(ClientError, match="ScpActionDefinition"):
            client("budgets").create_budget_action(**{**IAM, "ActionType": "APPLY_SCP_POLICY"})
