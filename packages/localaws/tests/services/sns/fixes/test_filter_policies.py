"""Tests of services.sns.fixes.filter_policies."""

from __future__ import annotations

import json

import pytest

from packages.localaws.tests.parts import client


@pytest.mark.usefixtures("aws")
def test_a_policy_applies_with_its_current_scope() -> None:
    sns, sqs = client("sns"), client("sqs")
    topic = sns.create_topic(Name="t")["TopicArn"]
    url = sqs.create_queue(QueueName="q")["QueueUrl"]
    policy = {"$or": [{"a": ["x"]}, {"b": ["x"], "$or": [{"c": ["x"]}, {"d": ["x"]}]}]}
    arn = sns.subscribe(
        TopicArn=topic,
        Protocol="sqs",
        Endpoint="arn:aws:sqs:us-east-1:123456789012:q",
        Attributes={"FilterPolicy": json.dumps(policy), "RawMessageDelivery": "true"},
    )["SubscriptionArn"]
    attribute = {"a": {"DataType": "String", "StringValue": "x"}}

    def delivered(message: str) -> list[str]:
        sns.publish(TopicArn=topic, Message=message)
        sns.publish(TopicArn=topic, Message="attribute", MessageAttributes=attribute)
        found = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)["Messages"]
        return [one["Body"] for one in found]

    body = json.dumps({"b": "x", "d": "x"})
    assert delivered(body) == ["attribute"]
    sns.set_subscription_attributes(
        SubscriptionArn=arn, AttributeName="FilterPolicyScope", AttributeValue="MessageBody"
    )
    assert delivered(body) == [body]
