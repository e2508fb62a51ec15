"""Topics: their names, attributes, tags and permissions.

https://docs.aws.amazon.com/sns/latest/api/API_CreateTopic.html and API_SetTopicAttributes.html.
Messages and answers as recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from moto.core.utils import camelcase_to_underscores

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.sns.arguments import (
    backend_of,
    check_tags,
    invalid,
    text,
    topic_of,
)
from clusterwright_localaws.services.sns.confirmations import is_pending
from clusterwright_localaws.services.sns.topic_attributes import check_attribute

_NAME: Final = re.compile(r"[A-Za-z0-9_-]+")
_FIFO: Final = ".fifo"
_LONGEST_NAME: Final = 256
_FEEDBACK: Final = tuple(
    f"{protocol}{member}"
    for protocol in ("Application", "Firehose", "HTTP", "Lambda", "SQS")
    for member in (
        "FailureFeedbackRoleArn",
        "SuccessFeedbackRoleArn",
        "SuccessFeedbackSampleRate",
    )
)
_SETTABLE: Final = (
    "ArchivePolicy",
    "ContentBasedDeduplication",
    "DeliveryPolicy",
    "DisplayName",
    "FifoThroughputScope",
    "KmsMasterKeyId",
    "MaximumMessageSize",
    "Policy",
    "SignatureVersion",
    "TracingConfig",
    *_FEEDBACK,
)
_OF_FIFO_TOPICS: Final = ("ContentBasedDeduplication", "FifoThroughputScope", "FifoTopic")
# What SNS does where a topic's delivery policy says nothing.
_RETRIES: Final = {
    "minDelayTarget": 20,
    "maxDelayTarget": 20,
    "numRetries": 3,
    "numMaxDelayRetries": 0,
    "numNoDelayRetries": 0,
    "numMinDelayRetries": 0,
    "backoffFunction": "linear",
}
_REQUEST: Final = {"headerContentType": "text/plain; charset=UTF-8"}


@operation("sns", "CreateTopic")
def create_topic(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    name, attributes = request["Name"], request.get("Attributes") or {}
    tags = request.get("Tags") or []
    fifo = attributes.get("FifoTopic", "false").lower() == "true"
    plain = name.removesuffix(_FIFO) if fifo else name
    if len(name) > _LONGEST_NAME or not _NAME.fullmatch(plain) or name.endswith(_FIFO) != fifo:
        raise invalid("Topic Name")
    unknown = sorted(attributes.keys() - {*_SETTABLE, "FifoTopic"})
    if unknown:
        # The text is ours.
        raise invalid(f"Attributes Reason: Unknown attribute {unknown[0]}")
    for each, value in attributes.items():
        check_attribute(each, value)
    check_tags(tags)
    topic = backend_of(call).topics.get(call.arn("sns", name))
    if topic is not None:
        _check_same(topic, attributes, {tag["Key"]: tag["Value"] for tag in tags})
    raise ForwardToMoto


def _check_same(topic: Any, attributes: Mapping[str, str], tags: Mapping[str, str]) -> None:
    """Refuse to create a topic that exists with other attributes or tags."""
    for name, value in attributes.items():
        found = _attribute(topic, name)
        if value.lower() == "false" and found in (None, "false"):
            continue
        if value != found:
            raise invalid("Attributes Reason: Topic already exists with different attributes")
    if any(topic._tags.get(key) != value for key, value in tags.items()):
        raise invalid("Tags Reason: Topic already exists with different tags")


def _attribute(topic: Any, name: str) -> str | None:
    """Return an attribute of a topic that was set; None and empty texts are none."""
    found = getattr(topic, camelcase_to_underscores(name), None)
    return text(found) if found not in (None, "") else None


@operation("sns", "GetTopicAttributes")
def get_topic_attributes(call: Call) -> Mapping[str, Any]:
    topic = topic_of(call)
    subscriptions = [one for one in backend_of(call).subscriptions.values() if one.topic is topic]
    pending = sum(1 for one in subscriptions if is_pending(one))
    attributes = {
        "Owner": topic.account_id,
        "Policy": topic.policy,
        "TopicArn": topic.arn,
        "DisplayName": topic.display_name,
        "SubscriptionsPending": str(pending),
        "SubscriptionsConfirmed": str(len(subscriptions) - pending),
        "SubscriptionsDeleted": str(topic.subscriptions_deleted),
        "EffectiveDeliveryPolicy": json.dumps(_effective(topic.delivery_policy)),
    }
    fifo = text(topic.fifo_topic) == "true"
    for name in (*_SETTABLE, "FifoTopic"):
        found = _attribute(topic, name)
        if name in attributes or found is None or (name in _OF_FIFO_TOPICS and not fifo):
            continue
        attributes[name] = found
    return {"Attributes": attributes}


def _effective(policy: str) -> dict[str, Any]:
    """Return a delivery policy with the values of SNS where it has none."""
    given = (json.loads(policy) if policy else {}).get("http") or {}
    return {
        "http": {
            "defaultHealthyRetryPolicy": _RETRIES | (given.get("defaultHealthyRetryPolicy") or {}),
            "disableSubscriptionOverrides": given.get("disableSubscriptionOverrides", False),
            "defaultRequestPolicy": given.get("defaultRequestPolicy") or _REQUEST,
        }
    }


@operation("sns", "SetTopicAttributes")
def set_topic_attributes(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    name, value = request["AttributeName"], request.get("AttributeValue") or ""
    if name not in _SETTABLE:
        raise invalid("AttributeName")
    topic_of(call)
    check_attribute(name, value)
    raise ForwardToMoto


@operation("sns", "DeleteTopic")
def delete_topic(call: Call) -> Mapping[str, Any]:
    """Delete a topic; one that does not exist is no error."""
    try:
        topic_of(call)
    except AwsError as error:
        if error.code != "NotFound":
            raise
        return {}
    raise ForwardToMoto


@operation("sns", "RemovePermission")
def remove_permission(call: Call) -> Mapping[str, Any]:
    topic_of(call)
    raise ForwardToMoto


@operation("sns", "AddPermission")
def add_permission(call: Call) -> Mapping[str, Any]:
    from moto.sns.models import VALID_POLICY_ACTIONS

    topic, request = topic_of(call), call.parameters
    statements = json.loads(topic.policy).get("Statement", [])
    if any(one.get("Sid") == request["Label"] for one in statements):
        raise invalid("Statement already exists")
    if not set(request["ActionName"]) <= set(VALID_POLICY_ACTIONS):
        raise invalid("Policy statement action out of service scope!")
    raise ForwardToMoto


@operation("sns", "TagResource")
def tag_resource(call: Call) -> Mapping[str, Any]:
    check_tags(call.parameters["Tags"])
    raise ForwardToMoto
