"""UpdateBudget; moto only creates and deletes budgets.

https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_budgets_UpdateBudget.html
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError


@operation("budgets", "UpdateBudget")
def update_budget(call: Call) -> Mapping[str, Any]:
    new = dict(call.parameters["NewBudget"])
    name = new["BudgetName"]
    budgets = moto_state.backend("budgets", call.account, "aws").budgets[
        call.parameters["AccountId"]
    ]
    found = budgets.get(name)
    if found is None:
        raise AwsError(
            "NotFoundException",
            f"Unable to update budget: {name} - the budget doesn't exist. Try creating it first. ",
        )
    if "BudgetLimit" not in new and "PlannedBudgetLimits" not in new:
        raise AwsError(
            "InvalidParameterException",
            "Unable to update budget - please provide one of the followings: Budget Limit/ "
            "Planned Budget Limit/ Auto Adjust Data",
        )
    period = {
        key: value.timestamp() if isinstance(value, dt.datetime) else value
        for key, value in new.get("TimePeriod", {}).items()
    }
    # Members of the period that the caller omits are kept.
    new["TimePeriod"] = {**found.budget.get("TimePeriod", {}), **period}
    new["LastUpdatedTime"] = call.now.timestamp()
    found.budget = new
    return {}
