"""Budgets of a template."""

from __future__ import annotations

import datetime as dt

import pytest

from clusterwright_localaws.cloudformation.handler import HandlerFailure
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.budgets.cfn import Budget, _moment
from packages.localaws.tests.handlers import context, tags
from packages.localaws.tests.parts import client, refusal

LIMIT = {"Amount": 10, "Unit": "USD"}
MONTHLY = {"BudgetType": "COST", "TimeUnit": "MONTHLY", "BudgetLimit": LIMIT}


def test_a_budget_is_created_changed_and_deleted(aws: Runtime) -> None:
    budgets, account = client("budgets"), aws.world.account
    properties = {
        "Budget": MONTHLY,
        "ResourceTags": tags(team="a"),
        "NotificationsWithSubscribers": [
            {
                "Notification": {
                    "NotificationType": "ACTUAL",
                    "ComparisonOperator": "GREATER_THAN",
                    "Threshold": 80,
                },
                "Subscribers": [{"SubscriptionType": "EMAIL", "Address": "a@example.com"}],
            }
        ],
    }
    created = Budget().create(context(), properties)
    name = created.physical_id
    assert name == "stack-Thing-AbCdEfGhIjKl"
    assert created.attributes == {"Id": name}

    def limit() -> str:
        found = budgets.describe_budget(AccountId=account, BudgetName=name)["Budget"]
        return str(found["BudgetLimit"]["Amount"])

    assert limit() == "10"
    found = budgets.describe_notifications_for_budget(AccountId=account, BudgetName=name)
    assert [each["Threshold"] for each in found["Notifications"]] == [80.0]
    changed = {**properties, "Budget": {**MONTHLY, "BudgetLimit": {**LIMIT, "Amount": 20}}}
    Budget().update(context(), name, properties, changed)
    assert limit() == "20"
    Budget().delete(context(), name, changed)
    code, _ = refusal(budgets.describe_budget, AccountId=account, BudgetName=name)
    assert code == "NotFoundException"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2017-06-01_00:00", dt.datetime(2017, 6, 1, tzinfo=dt.UTC)),
        ("06/01/17 12:30 UTC", dt.datetime(2017, 6, 1, 12, 30, tzinfo=dt.UTC)),
        ("1496275200", dt.datetime(2017, 6, 1, tzinfo=dt.UTC)),
        ("2017-06-01", dt.datetime(2017, 6, 1, tzinfo=dt.UTC)),
        (
            "2017-06-01T00:00:00+02:00",
            dt.datetime(2017, 5, 31, 22, tzinfo=dt.UTC),
        ),
    ],
)
def test_times(text: str, expected: dt.datetime) -> None:
    assert _moment(text) == expected


@pytest.mark.parametrize("text", ["soon", "2017-13-01", "9" * 30])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(HandlerFailure, match="is not a time"):
        _moment(text)
