"""Budgets and their actions."""

from __future__ import annotations

from typing import Any

from botocore.stub import Stubber

from clusterwright.aws import budgets
from clusterwright.aws.session import AwsSession

ACCOUNT = "111122223333"


def action(**more: Any) -> dict[str, Any]:
    return {
        "ActionId": "0" * 36,
        "BudgetName": "team",
        "NotificationType": "ACTUAL",
        "ExecutionRoleArn": f"arn:aws:iam::{ACCOUNT}:role/budgets",
        "Status": "STANDBY",
        "Subscribers": [{"SubscriptionType": "EMAIL", "Address": "a@acme.example"}],
        "ApprovalModel": "AUTOMATIC",
        "ActionThreshold": {"ActionThresholdValue": 90.0, "ActionThresholdType": "PERCENTAGE"},
        **more,
    }


def test_actions_of_each_kind(session: AwsSession) -> None:
    policy = "arn:aws:iam::111122223333:policy/stop"
    found = [
        action(
            ActionType="APPLY_IAM_POLICY",
            Definition={"IamActionDefinition": {"PolicyArn": policy, "Roles": ["deployer"]}},
        ),
        action(
            ActionType="APPLY_SCP_POLICY",
            Definition={"ScpActionDefinition": {"PolicyId": "p-12345678", "TargetIds": [ACCOUNT]}},
            ApprovalModel="MANUAL",
            ActionThreshold={
                "ActionThresholdValue": 5000,
                "ActionThresholdType": "ABSOLUTE_VALUE",
            },
        ),
    ]
    with Stubber(session.client("budgets")) as stub:
        stub.add_response("describe_budget_actions_for_account", {"Actions": found})
        assert budgets.budget_actions(session, ACCOUNT) == (
            budgets.BudgetAction(
                "team", "APPLY_IAM_POLICY", True, "90 %", policy, roles=("deployer",)
            ),
            budgets.BudgetAction(
                "team", "APPLY_SCP_POLICY", False, "5,000 USD", "p-12345678", targets=(ACCOUNT,)
            ),
        )
