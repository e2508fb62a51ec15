"""Budgets: spending of the world, notifications with states, subscribers and limits."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import client, refusal

ACCOUNT = "123456789012"
OF = {"AccountId": ACCOUNT, "BudgetName": "gpu"}
NOTIFICATION = {
    "NotificationType": "ACTUAL",
    "ComparisonOperator": "GREATER_THAN",
    "Threshold": 80.0,
}
MAIL = {"SubscriptionType": "EMAIL", "Address": "a@example.com"}


def make(limit: str = "1000", **more: Any) -> None:
    client("budgets").create_budget(
        AccountId=ACCOUNT,
        Budget={
            "BudgetName": "gpu",
            "BudgetLimit": {"Amount": limit, "Unit": "USD"},
            "TimeUnit": "DAILY",
            "BudgetType": "COST",
            **more,
        },
        NotificationsWithSubscribers=[{"Notification": NOTIFICATION, "Subscribers": [MAIL]}],
    )


def states() -> list[str]:
    found = client("budgets").describe_notifications_for_budget(**OF)["Notifications"]
    return [item["NotificationState"] for item in found]


def test_actual_spend_is_that_of_the_world() -> None:
    costs = [
        {"service": "Amazon SageMaker", "usd_per_day": "900"},
        {"service": "Amazon FSx", "usd_per_day": "50"},
    ]
    with local_aws(costs=costs):
        make()
        spend = client("budgets").describe_budget(**OF)["Budget"]["CalculatedSpend"]
        assert spend["ActualSpend"] == {"Amount": "950", "Unit": "USD"}
        assert states() == ["ALARM"]
        client("budgets").delete_budget(**OF)
        make(CostFilters={"Service": ["Amazon FSx"]})
        spend = client("budgets").describe_budget(**OF)["Budget"]["CalculatedSpend"]
        assert spend["ActualSpend"]["Amount"] == "50"
        assert states() == ["OK"]


@pytest.mark.usefixtures("aws")
class TestNotifications:
    def test_notifications_are_created_updated_and_described(self) -> None:
        make()
        budgets = client("budgets")
        second = {**NOTIFICATION, "Threshold": 100.0}
        budgets.create_notification(**OF, Notification=second, Subscribers=[MAIL])
        again = refusal(budgets.create_notification, **OF, Notification=second, Subscribers=[MAIL])
        assert again[0] == "DuplicateRecordException"
        taken = refusal(
            budgets.update_notification,
            **OF,
            OldNotification=NOTIFICATION,
            NewNotification=second,
        )
        assert taken[0] == "DuplicateRecordException"
        third = {**NOTIFICATION, "Threshold": 90.0}
        budgets.update_notification(**OF, OldNotification=NOTIFICATION, NewNotification=third)
        found = budgets.describe_notifications_for_budget(**OF)["Notifications"]
        assert [item["Threshold"] for item in found] == [90.0, 100.0]
        assert states() == ["OK", "OK"]

    def test_five_are_the_most(self) -> None:
        make()
        budgets = client("budgets")
        for number in range(1, 5):
            more = {**NOTIFICATION, "Threshold": float(number)}
            budgets.create_notification(**OF, Notification=more, Subscribers=[MAIL])
        item = {**NOTIFICATION, "Threshold": 9.0}
        found = refusal(budgets.create_notification, **OF, Notification=item, Subscribers=[MAIL])
        assert found[0] == "CreationLimitExceededException"

    def test_subscribers_are_managed(self) -> None:
        make()
        budgets, of = client("budgets"), {**OF, "Notification": NOTIFICATION}
        for number in range(9):
            one = {"SubscriptionType": "EMAIL", "Address": f"a{number}@example.com"}
            budgets.create_subscriber(**of, Subscriber=one)
        over = {"SubscriptionType": "EMAIL", "Address": "b@example.com"}
        found = refusal(budgets.create_subscriber, **of, Subscriber=over)
        assert found[0] == "CreationLimitExceededException"
        assert refusal(budgets.create_subscriber, **of, Subscriber=MAIL)[0] == (
            "DuplicateRecordException"
        )
        budgets.update_subscriber(**of, OldSubscriber=MAIL, NewSubscriber=over)
        listed = budgets.describe_subscribers_for_notification(**of)["Subscribers"]
        assert len(listed) == 10
        assert listed[0] == over
        for one in listed:
            budgets.delete_subscriber(**of, Subscriber=one)
        assert states() == []

    def test_what_is_not_there(self) -> None:
        make()
        budgets = client("budgets")
        other = {**NOTIFICATION, "Threshold": 1.0}
        found = refusal(budgets.describe_subscribers_for_notification, **OF, Notification=other)
        assert found[0] == "NotFoundException"
        missing = refusal(budgets.describe_budget, AccountId=ACCOUNT, BudgetName="no")
        assert missing[0] == "NotFoundException"
        foreign = refusal(budgets.describe_budgets, AccountId="999988887777")
        assert foreign[0] == "AccessDeniedException"

    def test_pages(self) -> None:
        for number in range(3):
            make(BudgetName=f"b{number}")
        pages = client("budgets").get_paginator("describe_budgets")
        sizes = [
            len(page["Budgets"])
            for page in pages.paginate(AccountId=ACCOUNT, PaginationConfig={"PageSize": 2})
        ]
        assert sizes == [2, 1]
