"""AWS Budgets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clusterwright.aws.errors import is_not_found
from clusterwright.aws.session import AwsSession
from clusterwright.aws.values import known_value


def budget_exists(session: AwsSession, account: str, name: str) -> bool:
    """Return whether the account has a budget of that name."""
    try:
        session.call("budgets", "DescribeBudget", AccountId=account, BudgetName=name)
    except Exception as error:
        if is_not_found(error):
            return False
        raise
    return True


@dataclass(frozen=True)
class BudgetAction:
    """What a budget does when spending reaches a threshold.

    Attributes
    ----------
    kind:
        APPLY_IAM_POLICY, APPLY_SCP_POLICY or RUN_SSM_DOCUMENTS.
    automatic:
        Whether it runs without approval.
    threshold:
        A percentage or an amount: "90 %", "1,000 USD".
    policy:
        The ARN or id of the policy that is attached; empty for RUN_SSM_DOCUMENTS.
    roles, targets:
        Names of IAM roles, or accounts and organizational units, that get the policy.
    """

    budget: str
    kind: str
    automatic: bool
    threshold: str
    policy: str = ""
    roles: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()


def budget_actions(session: AwsSession, account: str) -> tuple[BudgetAction, ...]:
    """Return the actions of every budget of an account."""
    return tuple(
        _action(session, answer)
        for answer in session.items(
            "budgets", "DescribeBudgetActionsForAccount", "Actions", AccountId=account
        )
    )


def _action(session: AwsSession, answer: Mapping[str, Any]) -> BudgetAction:
    definition = answer["Definition"]
    roles = definition.get("IamActionDefinition") or {}
    accounts = definition.get("ScpActionDefinition") or {}
    threshold = answer["ActionThreshold"]

    def known(shape: str, value: str) -> str:
        return known_value(
            session,
            value,
            service="budgets",
            operation="DescribeBudgetActionsForAccount",
            shape=shape,
        )

    unit = "%" if threshold["ActionThresholdType"] == "PERCENTAGE" else "USD"
    return BudgetAction(
        budget=answer["BudgetName"],
        kind=known("ActionType", answer["ActionType"]),
        automatic=known("ApprovalModel", answer["ApprovalModel"]) == "AUTOMATIC",
        threshold=f"{threshold['ActionThresholdValue']:,.10g} {unit}",
        policy=str(roles.get("PolicyArn") or accounts.get("PolicyId") or ""),
        roles=tuple(roles.get("Roles") or ()),
        targets=tuple(accounts.get("TargetIds") or ()),
    )
