"""Actions of budgets, which moto lacks: they are kept and listed; none is ever run.

https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-controls.html
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.pagination import paged

_DEFINITIONS: Final = {
    "APPLY_IAM_POLICY": "IamActionDefinition",
    "APPLY_SCP_POLICY": "ScpActionDefinition",
    "RUN_SSM_DOCUMENTS": "SsmActionDefinition",
}
_KEPT: Final = (
    "BudgetName",
    "NotificationType",
    "ActionType",
    "ActionThreshold",
    "Definition",
    "ExecutionRoleArn",
    "ApprovalModel",
    "Subscribers",
)


@operation("budgets", "CreateBudgetAction")
def create_budget_action(call: Call) -> Mapping[str, Any]:
    asked = call.parameters
    actions = _of(call, asked["BudgetName"])
    wanted = _DEFINITIONS[asked["ActionType"]]
    if set(asked["Definition"]) != {wanted}:
        raise AwsError(
            "InvalidParameterException", f"An action of this type has a {wanted}, and no other."
        )
    identity = str(uuid.uuid4())
    actions[identity] = {
        "ActionId": identity,
        "Status": "STANDBY",
        **{name: asked[name] for name in _KEPT},
    }
    return {
        "AccountId": call.account,
        "BudgetName": asked["BudgetName"],
        "ActionId": identity,
    }


@operation("budgets", "DescribeBudgetActionsForAccount")
def describe_budget_actions(call: Call) -> Mapping[str, Any]:
    found = [action for name in _budgets(call) for action in _of(call, name).values()]
    return paged(call, "Actions", found, maximum=100, stale_page_code="InvalidNextTokenException")


def _budgets(call: Call) -> dict[str, Any]:
    found: dict[str, Any] = moto_state.backend("budgets", call.account, "aws").budgets[
        call.account
    ]
    return found


def _of(call: Call, name: str) -> dict[str, dict[str, Any]]:
    """The actions of a budget by their ids."""
    budget = _budgets(call).get(name)
    if budget is None:
        raise AwsError("NotFoundException", f"Unable to get budget: {name} - doesn't exist.")
    actions: dict[str, dict[str, Any]] = budget.__dict__.setdefault("actions", {})
    return actions
