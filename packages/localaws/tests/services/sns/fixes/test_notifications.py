"""Tests of services.sns.fixes.notifications."""

from __future__ import annotations

import json
from typing import Any

import pytest

from packages.localaws.tests.parts import client

pytestmark = pytest.mark.usefixtures("aws")


def received(name: str = "t", subject: str = "s", **attributes: str) -> tuple[str, dict[str, Any]]:
    """The ARN of a subscription, and the message that its queue gets."""
    sns, sqs = client("sns"), client("sqs")
    fifo = name.endswith(".fifo")
    kind = {"FifoQueue": "true"} if fifo else {}
    topic = sns.create_topic(Name=name, Attributes=attributes)["TopicArn"]
    url = sqs.create_queue(QueueName=name, Attributes=kind)["QueueUrl"]
    queue = f"arn:aws:sqs:us-east-1:123456789012:{name}"
    arn = sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=queue)["SubscriptionArn"]
    more = {"MessageGroupId": "g", "MessageDeduplicationId": "d"} if fifo else {}
    sns.publish(TopicArn=topic, Message="m", Subject=subject, **more)
    (message,) = sqs.receive_message(QueueUrl=url)["Messages"]
    return arn, json.loads(message["Body"])


@pytest.mark.parametrize(("given", "version"), [({}, "1"), ({"SignatureVersion": "2"}, "2")])
def test_signature(given: dict[str, str], version: str) -> None:
    arn, message = received(**given)
    assert message["SignatureVersion"] == version
    assert message["UnsubscribeURL"].endswith(f"&SubscriptionArn={arn}")


def test_one_certificate_signs_all_messages() -> None:
    assert received("a")[1]["SigningCertURL"] == received("b")[1]["SigningCertURL"]


def test_fifo_topic_signs_nothing() -> None:
    _, message = received("t.fifo", FifoTopic="true")
    assert not {"Signature", "SignatureVersion", "SigningCertURL"} & message.keys()
