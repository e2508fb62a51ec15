"""Topics, and queues that subscribe to them."""

from __future__ import annotations

import json
from typing import Any

from packages.localaws.tests.parts import client

ARN = "arn:aws:sqs:us-east-1:123456789012:"


def topic(name: str = "t", **attributes: str) -> str:
    if name.endswith(".fifo"):
        attributes["FifoTopic"] = "true"
    return str(client("sns").create_topic(Name=name, Attributes=attributes)["TopicArn"])


def queue(name: str = "q") -> str:
    kind = {"FifoQueue": "true"} if name.endswith(".fifo") else {}
    return str(client("sqs").create_queue(QueueName=name, Attributes=kind)["QueueUrl"])


def subscribe(arn: str, name: str = "q", **attributes: str) -> str:
    request = {"TopicArn": arn, "Protocol": "sqs", "Endpoint": ARN + name}
    return str(client("sns").subscribe(**request, Attributes=attributes)["SubscriptionArn"])


def received(url: str) -> list[dict[str, Any]]:
    found = client("sqs").receive_message(
        QueueUrl=url,
        MaxNumberOfMessages=10,
        AttributeNames=["All"],
        MessageAttributeNames=["All"],
    )
    return list(found.get("Messages", []))


def body(url: str) -> dict[str, Any]:
    (message,) = received(url)
    return dict(json.loads(message["Body"]))
