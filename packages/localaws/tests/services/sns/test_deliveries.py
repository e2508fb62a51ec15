"""Tests of services.sns.deliveries, deduplication and notifications: what queues receive."""

from __future__ import annotations

import json

import pytest

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.sns import message_bodies
from packages.localaws.tests.parts import client, refusal
from packages.localaws.tests.services.sns.queues import (
    ARN,
    queue,
    received,
    subscribe,
    topic,
)

pytestmark = pytest.mark.usefixtures("aws")


@pytest.mark.parametrize("kind", ["", ".fifo"])
def test_dead_letter_queue(kind: str) -> None:
    gone, dead, left = queue(f"gone{kind}"), queue(f"dead{kind}"), queue(f"left{kind}")
    arn = topic(f"t{kind}")
    policy = json.dumps({"deadLetterTargetArn": f"{ARN}dead{kind}"})
    subscribe(arn, f"gone{kind}", RedrivePolicy=policy, RawMessageDelivery="true")
    subscribe(arn, f"left{kind}")
    client("sqs").delete_queue(QueueUrl=gone)
    more = {"MessageGroupId": "g", "MessageDeduplicationId": "d"} if kind else {}
    client("sns").publish(TopicArn=arn, Message="m", **more)
    (found,) = received(dead)
    assert found["Body"] == "m"
    assert found["Attributes"].get("MessageGroupId") == more.get("MessageGroupId")
    assert len(received(left)) == 1


def test_queues_of_fifo_and_of_standard_topics() -> None:
    request = {"Protocol": "sqs", "Endpoint": f"{ARN}q.fifo"}
    found = refusal(client("sns").subscribe, TopicArn=topic(), **request)
    assert found[1] == (
        "Invalid parameter: Invalid parameter: Endpoint Reason: FIFO SQS Queues can not be "
        "subscribed to standard SNS topics"
    )
    arn = topic("t.fifo")
    policy = json.dumps({"deadLetterTargetArn": f"{ARN}dead"})
    assert subscribe(arn, "q", RedrivePolicy=policy)
    request["Attributes"] = {"RedrivePolicy": policy}  # type: ignore[assignment]
    assert "must use a FIFO queue" in refusal(client("sns").subscribe, TopicArn=arn, **request)[1]


def test_a_message_that_takes_too_long_to_match(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(message_bodies, "_MOST_STEPS", 0)
    monkeypatch.setattr(runtime(), "log", said.append)
    arn, left, other = topic(), queue(), queue("other")
    subscribe(arn, FilterPolicyScope="MessageBody", FilterPolicy='{"a": ["x"]}')
    subscribe(arn, "other")
    client("sns").publish(TopicArn=arn, Message='{"a": "x"}')
    assert (len(received(left)), len(received(other))) == (0, 1)
    assert "matching its filter policy takes too long" in said[-1]
