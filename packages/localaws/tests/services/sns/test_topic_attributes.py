"""Tests of services.sns.topic_attributes, and of values of messages and endpoints."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DeliveryPolicy", "x"),
        ("TracingConfig", "On"),
        ("SignatureVersion", "3"),
        ("SQSSuccessFeedbackSampleRate", "101"),
        ("HTTPSuccessFeedbackSampleRate", "-1"),
        ("MaximumMessageSize", "1023"),
        ("MaximumMessageSize", "1048577"),
        ("FifoThroughputScope", "Queue"),
    ],
)
def test_values_that_are_refused(name: str, value: str) -> None:
    sns = client("sns")
    arn = sns.create_topic(Name="t")["TopicArn"]
    for given in (
        refusal(sns.create_topic, Name="other", Attributes={name: value}),
        refusal(sns.set_topic_attributes, TopicArn=arn, AttributeName=name, AttributeValue=value),
    ):
        assert given[0] == "InvalidParameter"
        assert given[1].startswith(f"Invalid parameter: {name}: ")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TracingConfig", "Active"),
        ("SignatureVersion", "2"),
        ("SQSSuccessFeedbackSampleRate", "100"),
        ("MaximumMessageSize", "1048576"),
    ],
)
def test_values_that_are_taken(name: str, value: str) -> None:
    sns = client("sns")
    arn = sns.create_topic(Name="t", Attributes={name: value})["TopicArn"]
    assert sns.get_topic_attributes(TopicArn=arn)["Attributes"][name] == value


def test_largest_message_of_a_topic() -> None:
    sns = client("sns")
    arn = sns.create_topic(Name="t", Attributes={"MaximumMessageSize": "2000"})["TopicArn"]
    sns.publish(TopicArn=arn, Message="x" * 2000)
    found = refusal(sns.publish, TopicArn=arn, Message="x" * 2001)
    assert found == ("InvalidParameter", "Invalid parameter: Message too long")
    sns.set_topic_attributes(
        TopicArn=arn, AttributeName="MaximumMessageSize", AttributeValue="300000"
    )
    sns.publish(TopicArn=arn, Message="x" * 300_000)


@pytest.mark.parametrize(
    "given",
    [
        {"Subject": "a\nb"},
        {"MessageStructure": "xml"},
        {"MessageGroupId": "x" * 129},
        {"MessageGroupId": "a b"},
    ],
)
def test_messages_that_are_refused(given: dict[str, Any]) -> None:
    sns = client("sns")
    arn = sns.create_topic(Name="t")["TopicArn"]
    assert refusal(sns.publish, TopicArn=arn, Message="m", **given)[0] == "InvalidParameter"


@pytest.mark.parametrize(
    ("protocol", "endpoint", "message"),
    [
        ("email", "someone", "Email address"),
        ("email-json", "a@b.example; c@d.example", "Email address"),
        ("lambda", "function", "Lambda endpoint ARN"),
        ("firehose", "arn:aws:sqs:us-east-1:123456789012:q", "Firehose endpoint ARN"),
    ],
)
def test_endpoints_that_are_refused(protocol: str, endpoint: str, message: str) -> None:
    sns = client("sns")
    arn = sns.create_topic(Name="t")["TopicArn"]
    assert refusal(sns.subscribe, TopicArn=arn, Protocol=protocol, Endpoint=endpoint) == (
        "InvalidParameter",
        f"Invalid parameter: {message}",
    )


@pytest.mark.parametrize(
    ("protocol", "endpoint"),
    [
        ("email", "a@b.example"),
        ("http", "http://a.example"),
        ("sms", "+15555550100"),
    ],
)
def test_fifo_topics_have_no_endpoints_of_customers(protocol: str, endpoint: str) -> None:
    sns = client("sns")
    arn = sns.create_topic(Name="t.fifo", Attributes={"FifoTopic": "true"})["TopicArn"]
    found = refusal(sns.subscribe, TopicArn=arn, Protocol=protocol, Endpoint=endpoint)
    assert found[0] == "InvalidParameter"
