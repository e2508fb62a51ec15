"""Topics, subscriptions and policies of a template."""

from __future__ import annotations

import json

import pytest

from clusterwright_localaws.cloudformation.handler_helpers import text_attributes
from clusterwright_localaws.services.sns.cfn import (
    Subscription,
    Topic,
    TopicPolicy,
)
from packages.localaws.tests.handlers import allow, context, tags
from packages.localaws.tests.parts import client

pytestmark = pytest.mark.usefixtures("local")

QUEUES = "arn:aws:sqs:us-east-1:123456789012:"


def attribute(arn: str, name: str) -> str | None:
    found = client("sns").get_topic_attributes(TopicArn=arn)["Attributes"]
    return found.get(name)


def endpoints(arn: str) -> list[str]:
    found = client("sns").list_subscriptions_by_topic(TopicArn=arn)["Subscriptions"]
    return sorted(subscription["Endpoint"] for subscription in found)


def mail(name: str) -> dict[str, str]:
    return {"Protocol": "email", "Endpoint": f"{name}@example.com"}


def queue(name: str) -> dict[str, str]:
    return {"Protocol": "sqs", "Endpoint": f"{QUEUES}{name}"}


def test_a_topic_is_created_changed_and_deleted() -> None:
    sns = client("sns")
    before = {"DisplayName": "one", "Subscription": [queue("a"), queue("b")], "Tags": tags(a="1")}
    created = Topic().create(context(), before)
    arn = created.physical_id
    assert created.attributes["TopicName"] == arn.rsplit(":", 1)[-1]
    assert attribute(arn, "DisplayName") == "one"
    assert endpoints(arn) == [f"{QUEUES}a", f"{QUEUES}b"]
    after = {"DisplayName": "two", "Subscription": [queue("b"), queue("c")], "Tags": tags(b="2")}
    Topic().update(context(), arn, before, after)
    assert attribute(arn, "DisplayName") == "two"
    assert endpoints(arn) == [f"{QUEUES}b", f"{QUEUES}c"]
    assert sns.list_tags_for_resource(ResourceArn=arn)["Tags"] == tags(b="2")
    Topic().delete(context(), arn, after)
    assert sns.list_topics()["Topics"] == []


def test_a_subscription_that_nobody_confirmed_stays() -> None:
    arn = Topic().create(context(), {"Subscription": [mail("a")]}).physical_id
    Topic().update(context(), arn, {"Subscription": [mail("a")]}, {})
    assert endpoints(arn) == ["a@example.com"]


def test_a_fifo_topic_ends_in_fifo() -> None:
    assert Topic().create(context(), {"FifoTopic": True}).physical_id.endswith(".fifo")


def test_a_policy_leaves_the_default_behind() -> None:
    first, second = (
        Topic().create(context(), {"TopicName": name}).physical_id for name in ("a", "b")
    )
    default = json.loads(attribute(first, "Policy") or "")
    document = allow("sns:Publish", Principal="*")
    before = {"Topics": [first], "PolicyDocument": document}
    created = TopicPolicy().create(context(), before)
    assert json.loads(attribute(first, "Policy") or "") == document
    after = {"Topics": [second], "PolicyDocument": document}
    TopicPolicy().update(context(), created.physical_id, before, after)
    assert json.loads(attribute(first, "Policy") or "")["Statement"] == default["Statement"]
    assert json.loads(attribute(second, "Policy") or "") == document
    Topic().delete(context(), second, {})
    TopicPolicy().delete(context(), created.physical_id, after)  # the topic is gone: no error


def test_a_subscription_changes_its_filter() -> None:
    sns = client("sns")
    topic = Topic().create(context(), {}).physical_id
    before = {"TopicArn": topic, **mail("a"), "FilterPolicy": {"kind": ["x"]}}
    arn = Subscription().create(context(), before).physical_id

    def policy() -> str:
        found = sns.get_subscription_attributes(SubscriptionArn=arn)["Attributes"]
        return str(found.get("FilterPolicy", ""))

    assert json.loads(policy()) == {"kind": ["x"]}
    after = {"TopicArn": topic, **mail("a")}
    Subscription().update(context(), arn, before, after)
    assert policy() == "{}"
    Subscription().delete(context(), arn, after)
    assert endpoints(topic) == []


def test_attributes_are_text() -> None:
    properties = {"FifoTopic": False, "ContentBasedDeduplication": True, "DisplayName": "x"}
    names = ("FifoTopic", "ContentBasedDeduplication", "DisplayName", "Other")
    assert text_attributes(properties, names) == {
        "ContentBasedDeduplication": "true",
        "DisplayName": "x",
    }
    assert text_attributes({"P": {"a": [1]}}, ("P",)) == {"P": '{"a": [1]}'}
