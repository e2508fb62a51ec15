"""Publish and PublishBatch: messages that SNS refuses, and their publication to topics.

https://docs.aws.amazon.com/sns/latest/api/API_Publish.html and
https://docs.aws.amazon.com/sns/latest/dg/sns-message-attributes.html.
Messages as recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.sns import deliveries
from clusterwright_localaws.services.sns.arguments import backend_of, invalid, parts_of, topic_of
from clusterwright_localaws.services.sns.message_attributes import (
    check_attributes,
    delivered_form,
    size_of,
)
from clusterwright_localaws.services.sns.topic_attributes import largest_bytes

_MOST_ENTRIES: Final = 10
_LONGEST_SUBJECT: Final = 100
_LONGEST_ID: Final = 80
_ID: Final = re.compile(r"[A-Za-z0-9_-]*")
# "alphanumeric characters (a-z, A-Z, 0-9) and punctuation": API_Publish.html.
_GROUP: Final = re.compile(r"[!-~]{0,128}")
# "no line breaks or control characters", of a subject.
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_PHONE_NUMBER: Final = re.compile(r"\+?\d+")


@operation("sns", "Publish")
def publish(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    target = request.get("TargetArn")
    endpoint = backend_of(call).platform_endpoints.get(target)
    if endpoint is not None and not endpoint.enabled:
        # Before the message is examined, as recorded on AWS: probes.md, source `moto-verified`.
        raise ForwardToMoto
    _check_message(request)
    topic = backend_of(call).topics.get(target or request.get("TopicArn"))
    if size_of(request) > largest_bytes(topic):
        raise invalid("Message too long")
    if "PhoneNumber" in request:
        number = request["PhoneNumber"]
        if not _PHONE_NUMBER.fullmatch(number):
            raise invalid(f"PhoneNumber Reason: {number} is not valid to publish to")
    elif target and parts_of("TargetArn", target)[5].startswith("endpoint/"):
        if endpoint is None:
            raise invalid("TargetArn Reason: No endpoint found for the target arn specified")
    elif target or "TopicArn" in request:
        return _published(topic_of(call, "TargetArn" if target else "TopicArn"), request)
    else:
        # The text is ours.
        raise invalid("TopicArn or TargetArn Reason: no value for required parameter")
    raise ForwardToMoto


@operation("sns", "PublishBatch")
def publish_batch(call: Call) -> Mapping[str, Any]:
    topic, entries = topic_of(call), call.parameters["PublishBatchRequestEntries"]
    if not entries:
        raise AwsError("EmptyBatchRequest", "The batch request doesn't contain any entries.", 400)
    if len(entries) > _MOST_ENTRIES:
        raise AwsError(
            "TooManyEntriesInBatchRequest",
            "The batch request contains more entries than permissible.",
            400,
        )
    names = [entry["Id"] for entry in entries]
    for name in names:
        _check_id(name)
    if len(set(names)) < len(names):
        raise AwsError(
            "BatchEntryIdsNotDistinct",
            "Two or more batch entries in the request have the same Id.",
            400,
        )
    if sum(size_of(entry) for entry in entries) > largest_bytes(topic):
        raise AwsError(
            "BatchRequestTooLong",
            "The length of all the messages put together is more than the limit.",
            400,
        )
    for entry in entries:
        check_attributes(entry.get("MessageAttributes") or {})
        _check_structure(entry)
        _check_fifo(topic, entry)
    answers = [{"Id": entry["Id"], **_published(topic, entry)} for entry in entries]
    return {"Successful": answers, "Failed": []}


def _published(topic: Any, request: Mapping[str, Any]) -> dict[str, str]:
    """Publish a message to a topic, and return its ids."""
    _check_fifo(topic, request)
    published = deliveries.publish(
        topic,
        deliveries.Message(
            request["Message"],
            request.get("Subject"),
            delivered_form(request.get("MessageAttributes") or {}),
            request.get("MessageGroupId"),
            request.get("MessageDeduplicationId"),
            request.get("MessageStructure"),
        ),
    )
    answer = {"MessageId": published.message_id}
    if published.sequence_number is not None:
        answer["SequenceNumber"] = published.sequence_number
    return answer


def _check_id(name: str) -> None:
    if len(name) > _LONGEST_ID:
        problem = f"is too long: {name}"
    elif not _ID.fullmatch(name):
        problem = f"contains an impermissible character: {name}"
    else:
        return
    raise AwsError(
        "InvalidBatchEntryId", f"The Id of a batch entry in the batch request {problem}", 400
    )


def _check_message(request: Mapping[str, Any]) -> None:
    subject = request.get("Subject")
    is_short = subject is None or 0 < len(subject) <= _LONGEST_SUBJECT
    if not is_short or _CONTROL.search(subject or ""):
        raise invalid("Subject")
    if not request["Message"]:
        raise invalid("Empty message")
    check_attributes(request.get("MessageAttributes") or {})
    _check_structure(request)


def _check_structure(request: Mapping[str, Any]) -> None:
    """Refuse a message for several protocols that is no object with a default text."""
    structure = request.get("MessageStructure")
    if not structure:
        return
    if structure != "json":
        # "Valid value: json". The text is ours.
        raise invalid(f"MessageStructure: {structure} is not json")
    try:
        found = json.loads(request["Message"])
    except ValueError:
        raise invalid("Message Structure - JSON message body failed to parse") from None
    if not isinstance(found, dict) or not isinstance(found.get("default"), str):
        raise invalid("Message Structure - No default entry in JSON message body")


def _check_fifo(topic: Any, request: Mapping[str, Any]) -> None:
    for name in ("MessageDeduplicationId", "MessageGroupId"):
        if not _GROUP.fullmatch(request.get(name) or ""):
            # The text is ours.
            raise invalid(f"{name} Reason: it has at most 128 letters, digits and punctuation")
    named = request.get("MessageDeduplicationId")
    if not topic.fifo_topic:
        if named:
            raise invalid(
                "MessageDeduplicationId Reason: The request includes MessageDeduplicationId "
                "parameter that is not valid for this topic type"
            )
        return
    if not request.get("MessageGroupId"):
        raise invalid("The MessageGroupId parameter is required for FIFO topics")
    if not named and not topic.content_based_deduplication:
        raise invalid(
            "The topic should either have ContentBasedDeduplication enabled or "
            "MessageDeduplicationId provided explicitly"
        )
