"""Tests of services.sns.topics."""

from __future__ import annotations

import json

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")


@pytest.mark.parametrize(
    ("name", "fifo"),
    [("", "false"), ("a b", "false"), ("a" * 257, "false"), ("a.fifo", "false"), ("a", "true")],
)
def test_name_of_a_topic(name: str, fifo: str) -> None:
    found = refusal(client("sns").create_topic, Name=name, Attributes={"FifoTopic": fifo})
    assert found[:2] == ("InvalidParameter", "Invalid parameter: Topic Name")


def test_topic_is_created_again_only_as_it_is() -> None:
    create = client("sns").create_topic
    arn = create(
        Name="t",
        Attributes={"DisplayName": "Shown"},
        Tags=[{"Key": "a", "Value": "1"}],
    )["TopicArn"]
    for attributes in ({}, {"DisplayName": "Shown"}, {"FifoTopic": "false"}):
        assert create(Name="t", Attributes=attributes)["TopicArn"] == arn
    for attributes in ({"DisplayName": "Other"}, {"SignatureVersion": "2"}):
        message = refusal(create, Name="t", Attributes=attributes)[1]
        assert message.endswith("Topic already exists with different attributes")
    message = refusal(create, Name="t", Tags=[{"Key": "b", "Value": "1"}])[1]
    assert message.endswith("Topic already exists with different tags")


def test_attributes_of_a_topic() -> None:
    sns = client("sns")
    arn = sns.create_topic(Name="t", Attributes={"FifoTopic": "false"})["TopicArn"]
    found = sns.get_topic_attributes(TopicArn=arn)["Attributes"]
    assert not {"DeliveryPolicy", "FifoTopic", "SignatureVersion"} & found.keys()
    effective = json.loads(found["EffectiveDeliveryPolicy"])["http"]
    assert effective["defaultHealthyRetryPolicy"]["numRetries"] == 3
    policy = {"http": {"defaultHealthyRetryPolicy": {"numRetries": 1}}}
    values = {"DeliveryPolicy": json.dumps(policy), "SignatureVersion": "2"}
    for name, value in values.items():
        sns.set_topic_attributes(TopicArn=arn, AttributeName=name, AttributeValue=value)
    found = sns.get_topic_attributes(TopicArn=arn)["Attributes"]
    assert values.items() <= found.items()
    effective = json.loads(found["EffectiveDeliveryPolicy"])["http"]
    assert effective["defaultHealthyRetryPolicy"]["numRetries"] == 1
    assert effective["defaultHealthyRetryPolicy"]["minDelayTarget"] == 20


def test_subscriptions_are_counted() -> None:
    sns = client("sns")
    arn = sns.create_topic(Name="t")["TopicArn"]
    sns.subscribe(TopicArn=arn, Protocol="email", Endpoint="a@example.com")
    sns.subscribe(TopicArn=arn, Protocol="sms", Endpoint="+15551234567")
    found = sns.get_topic_attributes(TopicArn=arn)["Attributes"]
    assert (found["SubscriptionsPending"], found["SubscriptionsConfirmed"]) == ("1", "1")


def test_attributes_that_cannot_be_set() -> None:
    sns = client("sns")
    arn = sns.create_topic(Name="t")["TopicArn"]
    put = sns.set_topic_attributes
    for name in ("FifoTopic", "Colour"):
        found = refusal(put, TopicArn=arn, AttributeName=name, AttributeValue="false")
        assert found[:2] == ("InvalidParameter", "Invalid parameter: AttributeName")
    found = refusal(put, TopicArn=arn, AttributeName="Policy", AttributeValue="none")
    assert found[0] == "InvalidParameter"


def test_topics_are_named_by_arns_of_the_region() -> None:
    get = client("sns").get_topic_attributes
    message = refusal(get, TopicArn="t")[1]
    assert message.endswith("TopicArn Reason: An ARN must have at least 6 elements, not 1")
    elsewhere = "arn:aws:sns:us-west-2:123456789012:t"
    assert refusal(get, TopicArn=elsewhere)[1] == "Invalid parameter: TopicArn"
    here = elsewhere.replace("west-2", "east-1")
    assert refusal(get, TopicArn=here)[:2] == ("NotFound", "Topic does not exist")
    client("sns").delete_topic(TopicArn=here)
    assert refusal(client("sns").delete_topic, TopicArn="t")[0] == "InvalidParameter"


def test_tags_and_permissions() -> None:
    sns = client("sns")
    arn = sns.create_topic(Name="t")["TopicArn"]
    twice = [{"Key": "a", "Value": "1"}, {"Key": "a", "Value": "2"}]
    message = refusal(sns.tag_resource, ResourceArn=arn, Tags=twice)[1]
    assert message == "Invalid parameter: Duplicated keys are not allowed."
    permission = {"TopicArn": arn, "Label": "x", "AWSAccountId": ["123456789012"]}
    sns.add_permission(**permission, ActionName=["Publish"])
    message = refusal(sns.add_permission, **permission, ActionName=["Publish"])[1]
    assert message == "Invalid parameter: Statement already exists"
    other = {**permission, "Label": "y"}
    message = refusal(sns.add_permission, **other, ActionName=["Shout"])[1]
    assert message == "Invalid parameter: Policy statement action out of service scope!"
    sns.remove_permission(TopicArn=arn, Label="x")
    assert refusal(sns.remove_permission, TopicArn=arn + "x", Label="x")[0] == "NotFound"
