"""Publication of a message: to whom it goes, in which form, and what happens if that fails.

https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html and
sns-dead-letter-queues.html. SNS retries first; here one try decides. Forms as recorded on AWS:
docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

import base64
import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.core.urls import without_passwords
from clusterwright_localaws.services.sns import http_endpoints
from clusterwright_localaws.services.sns.deduplication import (
    Published,
    digest,
    key_of,
    sequence_of,
)
from clusterwright_localaws.services.sns.filter_policies import IN_ATTRIBUTES, accepts
from clusterwright_localaws.services.sns.message_bodies import TooManyStepsError
from clusterwright_localaws.services.sns.notifications import signed, unsubscribe_url

_FIFO: Final = ".fifo"


@dataclass(frozen=True)
class Message:
    """A message to a topic.

    `attributes` are `{"Type": ..., "Value": ...}` by name, the value as text, of binary ones in
    base64. `structure` is `json` for a JSON object with a text per protocol.
    """

    text: str
    subject: str | None = None
    attributes: Mapping[str, Mapping[str, str]] | None = None
    group_id: str | None = None
    deduplication_id: str | None = None
    structure: str | None = None
    message_id: str = ""
    sequence_number: str | None = None

    def for_protocol(self, protocol: str) -> Message:
        """Return the message with the text for a protocol; what is no text there is ignored."""
        if self.structure != "json":
            return self
        texts = json.loads(self.text)
        own = texts.get(protocol)
        return replace(self, text=own if isinstance(own, str) else texts["default"])


def publish(topic: Any, message: Message) -> Published:
    """Publish a valid message to moto's topic, and return what Publish answers."""
    message = replace(message, message_id=str(uuid.uuid4()))
    if topic.fifo_topic:
        sequence, now = sequence_of(topic), runtime().clock.now()
        message = replace(
            message, deduplication_id=message.deduplication_id or digest(message.text)
        )
        key = key_of(topic, str(message.deduplication_id), message.group_id)
        before = sequence.before(key, now)
        if before is not None:
            return before
        message = replace(message, sequence_number=sequence.next_number())
        sequence.seen[key] = (now, Published(message.message_id, message.sequence_number))
    # moto keeps them for its own tests and users.
    topic.sent_notifications.append(
        (
            message.message_id,
            message.text,
            message.subject,
            message.attributes,
            message.group_id,
        )
    )
    for subscription in topic.sns_backend._get_topic_subscriptions(topic):
        if _takes(subscription, message):
            _deliver(subscription, message.for_protocol(subscription.protocol))
    return Published(message.message_id, message.sequence_number)


def _takes(subscription: Any, message: Message) -> bool:
    if subscription.attributes.get("PendingConfirmation") is True:
        return False
    policy = subscription.attributes.get("FilterPolicy")
    if not policy:
        return True
    scope = subscription.attributes.get("FilterPolicyScope") or IN_ATTRIBUTES
    try:
        return accepts(json.loads(policy), scope, message.text, message.attributes)
    except TooManyStepsError:
        where = f"from {subscription.topic.arn} to {without_passwords(subscription.endpoint)}"
        runtime().warn(f"SNS: no delivery {where}: matching its filter policy takes too long")
        return False


def _deliver(subscription: Any, message: Message) -> None:
    try:
        if subscription.protocol == "sqs":
            _to_queue(subscription, subscription.endpoint, message)
        elif subscription.protocol in ("http", "https"):
            http_endpoints.send(
                subscription,
                _headers(subscription, message),
                _body(subscription, message),
                lambda reason: _dead(subscription, message, reason),
            )
        elif subscription.protocol == "lambda":
            _to_function(subscription, message)
        elif subscription.protocol == "firehose":
            runtime().warn(f"SNS: nothing is delivered to {subscription.endpoint}")
    except Exception as error:  # noqa: BLE001  whatever moto fails at, the message was accepted
        _dead(subscription, message, f"{type(error).__name__}: {error}")


def _dead(subscription: Any, message: Message, reason: str) -> None:
    """Send what was not delivered to the dead-letter queue of the subscription, if it has one."""
    where = f"from {subscription.topic.arn} to {without_passwords(subscription.endpoint)}"
    runtime().warn(f"SNS: no delivery {where}: {reason}")
    policy = subscription.attributes.get("RedrivePolicy")
    if not policy:
        return
    queue = json.loads(policy)["deadLetterTargetArn"]
    try:
        _to_queue(subscription, queue, message)
    except Exception as error:  # noqa: BLE001  as above
        runtime().warn(f"SNS: no delivery to {queue}: {type(error).__name__}: {error}")


def _is_raw(subscription: Any) -> bool:
    return subscription.attributes.get("RawMessageDelivery") in (True, "true")


def _body(subscription: Any, message: Message) -> str:
    if _is_raw(subscription):
        return message.text
    return signed(
        subscription.topic,
        {
            "Type": "Notification",
            "MessageId": message.message_id,
            "SequenceNumber": message.sequence_number,
            "Subject": message.subject or None,
            "Message": message.text,
            "UnsubscribeURL": unsubscribe_url(subscription),
            "MessageAttributes": message.attributes or None,
        },
    )


def _headers(subscription: Any, message: Message) -> dict[str, str]:
    headers = {
        "x-amz-sns-message-type": "Notification",
        "x-amz-sns-message-id": message.message_id,
        "x-amz-sns-topic-arn": subscription.topic.arn,
        "x-amz-sns-subscription-arn": subscription.arn,
    }
    if _is_raw(subscription):
        headers["x-amz-sns-rawdelivery"] = "true"
    return headers


def _to_queue(subscription: Any, arn: str, message: Message) -> None:
    _, _, _, region, account, name = arn.split(":")
    queues = moto_state.backend("sqs", account, region)
    fifo = {}
    if name.endswith(_FIFO):
        fifo = {"deduplication_id": message.deduplication_id, "group_id": message.group_id}
    elif message.group_id and not subscription.topic.fifo_topic:
        fifo = {"group_id": message.group_id}
    queues.send_message(
        name,
        _body(subscription, message),
        message_attributes=_raw_attributes(message) if _is_raw(subscription) else None,
        validate_group_id=False,
        **fifo,
    )


def _raw_attributes(message: Message) -> dict[str, dict[str, Any]]:
    """Return the attributes of a message as those of one of SQS."""
    found: dict[str, dict[str, Any]] = {}
    for name, one in (message.attributes or {}).items():
        kind, value = one["Type"], one["Value"]
        if kind.startswith("Binary"):
            found[name] = {"DataType": kind, "BinaryValue": base64.b64decode(value)}
        else:
            found[name] = {"DataType": kind, "StringValue": str(value)}
    return found


def _to_function(subscription: Any, message: Message) -> None:
    from moto.awslambda.utils import get_backend

    _, _, _, region, account, _, name, *qualifiers = subscription.endpoint.split(":")
    get_backend(account, region).send_sns_message(
        name,
        message.text,
        subject=message.subject,
        qualifier=qualifiers[0] if qualifiers else None,
    )
