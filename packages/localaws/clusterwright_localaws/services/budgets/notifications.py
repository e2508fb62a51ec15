"""Budgets: spending, notifications and subscribers; moto only creates and deletes budgets.

https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-best-practices.html has the
limits: five notifications for each budget; one SNS topic and ten e-mail addresses for each
notification. Spending is the world's `costs`; a notification is in ALARM when the budget exceeds
its threshold. No notification is sent.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.pagination import page, paged
from clusterwright_localaws.services.cost_explorer.spending import DAY, Spent, spending

_MOST_NOTIFICATIONS = 5
_MOST_SUBSCRIBERS = {"EMAIL": 10, "SNS": 1}
# Members that identify a notification of a budget.
_IDENTITY = ("NotificationType", "ComparisonOperator", "Threshold", "ThresholdType")
_DIMENSIONS = {
    "Service": "SERVICE",
    "LinkedAccount": "LINKED_ACCOUNT",
    "Region": "REGION",
    "UsageType": "USAGE_TYPE",
    "InstanceType": "INSTANCE_TYPE",
    "Operation": "OPERATION",
}


@operation("budgets", "DescribeBudget")
def describe_budget(call: Call) -> Mapping[str, Any]:
    return {"Budget": _shape(call, _budget(call))}


@operation("budgets", "DescribeBudgets")
def describe_budgets(call: Call) -> Mapping[str, Any]:
    found = [_shape(call, budget) for budget in _budgets(call).values()]
    entries, token = page(
        found, call, default=100, maximum=1000, stale_page_code="InvalidNextTokenException"
    )
    answer: dict[str, Any] = {"Budgets": list(entries)} if found else {}
    return {**answer, "NextToken": token} if token else answer


@operation("budgets", "DescribeNotificationsForBudget")
def describe_notifications(call: Call) -> Mapping[str, Any]:
    budget = _budget(call)
    found = [
        {**notification.details, "NotificationState": _state(call, budget, notification.details)}
        for notification in budget.notifications
    ]
    return paged(
        call, "Notifications", found, maximum=100, stale_page_code="InvalidNextTokenException"
    )


@operation("budgets", "CreateNotification")
def create_notification(call: Call) -> Mapping[str, Any]:
    budget, asked = _budget(call), call.parameters
    if _notification(budget, asked["Notification"], missing_ok=True) is not None:
        raise AwsError(
            "DuplicateRecordException",
            f"Error creating notification for budget: {budget.budget['BudgetName']} - the "
            "notification already exists.",
        )
    if len(budget.notifications) >= _MOST_NOTIFICATIONS:
        raise _too_many(f"A budget has at most {_MOST_NOTIFICATIONS} notifications.")
    _check_subscribers(asked["Subscribers"])
    budget.add_notification(dict(asked["Notification"]), list(asked["Subscribers"]))
    return {}


@operation("budgets", "UpdateNotification")
def update_notification(call: Call) -> Mapping[str, Any]:
    budget, asked = _budget(call), call.parameters
    found = _notification(budget, asked["OldNotification"])
    other = _notification(budget, asked["NewNotification"], missing_ok=True)
    if other is not None and other is not found:
        raise AwsError(
            "DuplicateRecordException",
            "Unable to update notification - the new notification already exists.",
        )
    found.details = dict(asked["NewNotification"])
    return {}


@operation("budgets", "DescribeSubscribersForNotification")
def describe_subscribers(call: Call) -> Mapping[str, Any]:
    found = _notification(_budget(call), call.parameters["Notification"])
    return paged(
        call,
        "Subscribers",
        list(found.subscribers),
        maximum=100,
        stale_page_code="InvalidNextTokenException",
    )


@operation("budgets", "CreateSubscriber")
def create_subscriber(call: Call) -> Mapping[str, Any]:
    found = _notification(_budget(call), call.parameters["Notification"])
    item = dict(call.parameters["Subscriber"])
    if item in found.subscribers:
        raise AwsError(
            "DuplicateRecordException", "Unable to create subscriber - it already exists."
        )
    _check_subscribers([*found.subscribers, item])
    found.subscribers.append(item)
    return {}


@operation("budgets", "UpdateSubscriber")
def update_subscriber(call: Call) -> Mapping[str, Any]:
    found = _notification(_budget(call), call.parameters["Notification"])
    position = _position(found, call.parameters["OldSubscriber"])
    changed = list(found.subscribers)
    changed[position] = dict(call.parameters["NewSubscriber"])
    _check_subscribers(changed)
    found.subscribers[:] = changed
    return {}


@operation("budgets", "DeleteSubscriber")
def delete_subscriber(call: Call) -> Mapping[str, Any]:
    budget = _budget(call)
    found = _notification(budget, call.parameters["Notification"])
    del found.subscribers[_position(found, call.parameters["Subscriber"])]
    if not found.subscribers:
        # "Deleting the last subscriber to a notification also deletes the notification."
        budget.notifications.remove(found)
    return {}


def _budgets(call: Call) -> dict[str, Any]:
    account = call.parameters["AccountId"]
    if account != call.account:
        raise AwsError(
            "AccessDeniedException",
            f"Account {call.account} is not authorised to read the budgets of {account}.",
        )
    found: dict[str, Any] = moto_state.backend("budgets", call.account, "aws").budgets[account]
    return found


def _budget(call: Call) -> Any:
    name = call.parameters["BudgetName"]
    found = _budgets(call).get(name)
    if found is None:
        raise AwsError(
            "NotFoundException", f"Unable to get budget: {name} - the budget doesn't exist."
        )
    return found


def _notification(budget: Any, requested: Mapping[str, Any], *, missing_ok: bool = False) -> Any:
    for notification in budget.notifications:
        if _identity(notification.details) == _identity(requested):
            return notification
    if missing_ok:
        return None
    raise AwsError("NotFoundException", "Unable to find the notification - it doesn't exist.")


def _identity(notification: Mapping[str, Any]) -> tuple[Any, ...]:
    known = {"ThresholdType": "PERCENTAGE", **notification}
    return tuple(known.get(name) for name in _IDENTITY)


def _position(notification: Any, subscriber: Mapping[str, Any]) -> int:
    for position, one in enumerate(notification.subscribers):
        if dict(one) == dict(subscriber):
            return position
    raise AwsError("NotFoundException", "Unable to find the subscriber - it doesn't exist.")


def _check_subscribers(subscribers: list[Mapping[str, Any]]) -> None:
    for kind, most in _MOST_SUBSCRIBERS.items():
        if sum(1 for subscriber in subscribers if subscriber["SubscriptionType"] == kind) > most:
            raise _too_many(f"A notification has at most {most} subscribers of type {kind}.")


def _shape(call: Call, budget: Any) -> dict[str, Any]:
    shown: dict[str, Any] = budget.to_dict()
    if call.world.costs:
        unit = (shown.get("BudgetLimit") or {}).get("Unit", "USD")
        actual, forecast = _spent(call, budget)
        shown["CalculatedSpend"] = {
            "ActualSpend": {"Amount": f"{actual:f}", "Unit": unit},
            "ForecastedSpend": {"Amount": f"{forecast:f}", "Unit": unit},
        }
    return shown


def _state(call: Call, budget: Any, notification: Mapping[str, Any]) -> str:
    limit = (budget.budget.get("BudgetLimit") or {}).get("Amount")
    if limit is None:
        return "OK"
    actual, forecast = _spent(call, budget)
    amount = forecast if notification["NotificationType"] == "FORECASTED" else actual
    threshold = Decimal(str(notification["Threshold"]))
    if notification.get("ThresholdType", "PERCENTAGE") == "PERCENTAGE":
        threshold = threshold * Decimal(limit) / 100
    over = {
        "GREATER_THAN": amount > threshold,
        "LESS_THAN": amount < threshold,
        "EQUAL_TO": amount == threshold,
    }[notification["ComparisonOperator"]]
    return "ALARM" if over else "OK"


def _spent(call: Call, budget: Any) -> tuple[Decimal, Decimal]:
    """Return the cost of the budget's current period to date, and the forecast of its total."""
    start, end = _period(call, budget.budget.get("TimeUnit", "MONTHLY"))
    filters: Mapping[str, list[str]] = budget.budget.get("CostFilters") or {}
    found = [
        item
        for item in spending(call.runtime, call.account, start, end)
        if all(_passes(item, name, values) for name, values in filters.items())
    ]
    today = call.now.date()
    actual = sum((entry.usd for entry in found if entry.day <= today), Decimal(0))
    return actual, sum((entry.usd for entry in found), Decimal(0))


def _passes(spent: Spent, name: str, values: list[str]) -> bool:
    if name == "TagKeyValue":
        # user:team$ml
        return any(f"user:{key}${value}" in values for key, value in spent.tags.items())
    return spent.dimensions.get(_DIMENSIONS.get(name, name)) in values


def _period(call: Call, unit: str) -> tuple[dt.date, dt.date]:
    today = call.now.date()
    if unit == "DAILY":
        return today, today + DAY
    if unit == "ANNUALLY":
        return today.replace(month=1, day=1), dt.date(today.year + 1, 1, 1)
    first = today.replace(day=1)
    if unit == "QUARTERLY":
        first = first.replace(month=3 * ((today.month - 1) // 3) + 1)
    last = first
    for _ in range(3 if unit == "QUARTERLY" else 1):
        last = (last + dt.timedelta(days=32)).replace(day=1)
    return first, last


def _too_many(message: str) -> AwsError:
    return AwsError("CreationLimitExceededException", message)
