"""Queues of a template and their policies."""

from __future__ import annotations

import json

import pytest

from clusterwright_localaws.services.sqs.cfn import Queue, QueuePolicy
from packages.localaws.tests.handlers import allow, context, tags
from packages.localaws.tests.parts import client

pytestmark = pytest.mark.usefixtures("local")


def attributes(url: str) -> dict[str, str]:
    found = client("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=["All"])
    return dict(found["Attributes"])


def test_a_queue_is_created_changed_and_deleted() -> None:
    sqs = client("sqs")
    before = {"DelaySeconds": 5, "RedriveAllowPolicy": {"redrivePermission": "denyAll"},
              "Tags": tags(a="1")}  # fmt: skip
    created = Queue().create(context(), before)
    url = created.physical_id
    assert created.attributes["QueueName"] == "stack-Thing-AbCdEfGhIjKl"
    assert attributes(url)["DelaySeconds"] == "5"
    after = {"VisibilityTimeout": 60, "Tags": tags(b="2")}
    Queue().update(context(), url, before, after)
    found = attributes(url)
    assert (found["DelaySeconds"], found["VisibilityTimeout"]) == ("0", "60")
    assert sqs.list_queue_tags(QueueUrl=url)["Tags"] == {"b": "2"}
    Queue().delete(context(), url, after)
    assert "QueueUrls" not in sqs.list_queues()


def test_a_fifo_queue_ends_in_fifo() -> None:
    created = Queue().create(context(), {"FifoQueue": True, "ContentBasedDeduplication": True})
    assert created.attributes["QueueName"].endswith(".fifo")
    assert attributes(created.physical_id)["ContentBasedDeduplication"] == "true"


def test_a_policy_is_on_the_queues_that_it_names() -> None:
    first, second = (
        Queue().create(context(), {"QueueName": name}).physical_id for name in ("a", "b")
    )
    document = allow("sqs:SendMessage", Principal="*")
    before = {"Queues": [first], "PolicyDocument": document}
    created = QueuePolicy().create(context(), before)
    assert json.loads(attributes(first)["Policy"]) == document
    after = {"Queues": [second], "PolicyDocument": document}
    QueuePolicy().update(context(), created.physical_id, before, after)
    assert not attributes(first).get("Policy")
    assert json.loads(attributes(second)["Policy"]) == document
    Queue().delete(context(), second, {})
    QueuePolicy().delete(context(), created.physical_id, after)  # the queue is gone: no error
