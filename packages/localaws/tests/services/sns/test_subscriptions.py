"""Tests of services.sns.subscriptions."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")

QUEUE = "arn:aws:sqs:us-east-1:123456789012:q"
NO_URL = "Endpoint must match the specified protocol"
NESTED = "Filter policy scope MessageAttributes does not support nested filter policy"


def topic() -> str:
    return str(client("sns").create_topic(Name="t")["TopicArn"])


def subscribe(arn: str, **attributes: str) -> str:
    found = client("sns").subscribe(
        TopicArn=arn, Protocol="sqs", Endpoint=QUEUE, Attributes=attributes
    )
    return str(found["SubscriptionArn"])


@pytest.mark.parametrize(
    ("request_", "problem"),
    [
        ({"Protocol": "pigeon"}, "Amazon SNS does not support this protocol string: pigeon"),
        ({"Endpoint": "https://queue"}, "SQS endpoint ARN"),
        *(
            ({"Protocol": protocol, "Endpoint": url}, NO_URL)
            for protocol, url in (
                ("http", ""),
                ("http", "example.com"),
                ("https", "http://127.0.0.1/"),
                ("http", "http://[::1"),
                ("http", "http://:80/"),
                ("http", "http://127.0.0.1:99999/"),
            )
        ),
        (
            {"Attributes": {"RawMessageDelivery": "yes"}},
            "Attributes Reason: RawMessageDelivery: Invalid value [yes]. Must be true or false.",
        ),
        (
            {"Attributes": {"FilterPolicy": '{"a": []}', "FilterPolicyScope": "Nothing"}},
            "Attributes Reason: FilterPolicyScope: Invalid value [Nothing]. Please use either "
            "MessageBody or MessageAttributes",
        ),
        (
            {"Attributes": {"FilterPolicy": "none"}},
            "Attributes Reason: FilterPolicy: failed to parse JSON.",
        ),
        (
            {"Attributes": {"FilterPolicy": json.dumps({key: ["x"] for key in "abcdef"})}},
            "Attributes Reason: FilterPolicy: Filter policy can not have more than 5 keys",
        ),
    ],
)
def test_subscriptions_that_are_refused(request_: dict[str, Any], problem: str) -> None:
    sns, arn = client("sns"), topic()
    request = {"TopicArn": arn, "Protocol": "sqs", "Endpoint": QUEUE, **request_}
    found = refusal(sns.subscribe, **request)
    assert found[:2] == ("InvalidParameter", f"Invalid parameter: {problem}")
    assert sns.list_subscriptions()["Subscriptions"] == []


def test_subscription_is_made_again_only_as_it_is() -> None:
    arn = topic()
    made = subscribe(arn, RawMessageDelivery="True")
    for attributes in (
        {},
        {"RawMessageDelivery": "true", "FilterPolicyScope": "MessageAttributes"},
    ):
        assert subscribe(arn, **attributes) == made
    found = refusal(lambda: subscribe(arn, RawMessageDelivery="false"))
    assert found[1].endswith("Subscription already exists with different attributes")


def test_attributes_of_a_subscription() -> None:
    sns = client("sns")
    made = subscribe(topic(), RawMessageDelivery="TrUe", FilterPolicy="")
    found = sns.get_subscription_attributes(SubscriptionArn=made)["Attributes"]
    assert found["RawMessageDelivery"] == "true"
    assert found["SubscriptionPrincipal"].startswith("arn:aws:iam::123456789012:")
    assert "FilterPolicy" not in found


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("Colour", "red", "AttributeName"),
        (
            "RawMessageDelivery",
            "",
            "RawMessageDelivery: Invalid value []. Must be true or false.",
        ),
        (
            "RedrivePolicy",
            '{"deadLetterTargetArn": "q"}',
            "RedrivePolicy: deadLetterTargetArn is an invalid arn",
        ),
        ("FilterPolicy", "{", "FilterPolicy: failed to parse JSON."),
        ("FilterPolicy", '{"a": {"b": ["x"]}}', NESTED),
    ],
)
def test_attributes_that_are_refused(name: str, value: str, problem: str) -> None:
    made = subscribe(topic())
    put = client("sns").set_subscription_attributes
    found = refusal(put, SubscriptionArn=made, AttributeName=name, AttributeValue=value)
    assert found[:2] == ("InvalidParameter", f"Invalid parameter: {problem}")


def test_subscriptions_that_do_not_exist() -> None:
    sns, arn = client("sns"), topic()
    none = f"{arn}:11111111-2222-3333-4444-555555555555"
    sns.unsubscribe(SubscriptionArn=none)
    expected = ("NotFound", "Subscription does not exist")
    assert refusal(sns.get_subscription_attributes, SubscriptionArn=none)[:2] == expected
    put = {"AttributeName": "RawMessageDelivery", "AttributeValue": "true"}
    assert refusal(sns.set_subscription_attributes, SubscriptionArn=none, **put)[:2] == expected
    message = refusal(sns.unsubscribe, SubscriptionArn=arn)[1]
    assert message == "Invalid parameter: SubscriptionId"
    assert "not 1" in refusal(sns.unsubscribe, SubscriptionArn="none")[1]


def test_email_waits_for_its_confirmation() -> None:
    sns, arn = client("sns"), topic()
    request = {"TopicArn": arn, "Protocol": "email", "Endpoint": "a@example.com"}
    assert sns.subscribe(**request)["SubscriptionArn"] == "pending confirmation"
    made = sns.subscribe(**request, ReturnSubscriptionArn=True)["SubscriptionArn"]
    attributes = sns.get_subscription_attributes(SubscriptionArn=made)["Attributes"]
    assert attributes["PendingConfirmation"] == "true"
    for listed in (sns.list_subscriptions(), sns.list_subscriptions_by_topic(TopicArn=arn)):
        assert [one["SubscriptionArn"] for one in listed["Subscriptions"]] == [
            "PendingConfirmation"
        ]
    for token, message in (("none", "Invalid token"), ("a" * 288, "Invalid parameter: Token")):
        assert refusal(sns.confirm_subscription, TopicArn=arn, Token=token)[1] == message


def test_text_messages_go_to_a_phone_number() -> None:
    request = {"TopicArn": topic(), "Protocol": "sms", "Endpoint": "none"}
    assert refusal(client("sns").subscribe, **request)[:2] == (
        "InvalidParameter",
        "Invalid SMS endpoint: none",
    )


def test_pages_of_subscriptions() -> None:
    sns, arn = client("sns"), topic()
    for number in range(101):
        sns.subscribe(TopicArn=arn, Protocol="sms", Endpoint=f"+1555123{number:04}")
    first = sns.list_subscriptions_by_topic(TopicArn=arn)
    assert len(first["Subscriptions"]) == 100
    assert base64.b64decode(first["NextToken"])
    second = sns.list_subscriptions_by_topic(TopicArn=arn, NextToken=first["NextToken"])
    assert len(second["Subscriptions"]) == 1
    assert "NextToken" not in second
