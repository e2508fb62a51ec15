"""Subscriptions: their protocols and attributes.

https://docs.aws.amazon.com/sns/latest/api/API_Subscribe.html and
API_SetSubscriptionAttributes.html. Messages and answers as recorded on AWS:
docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.core.pagination import paged
from clusterwright_localaws.services.sns.arguments import (
    backend_of,
    invalid,
    not_found,
    parts_of,
    text,
    topic_of,
)
from clusterwright_localaws.services.sns.confirmations import (
    confirm_end,
    is_pending,
    request_confirmation,
)
from clusterwright_localaws.services.sns.filter_policies import IN_ATTRIBUTES, IN_BODY
from clusterwright_localaws.services.sns.filter_policy_checks import (
    FilterPolicyError,
    check_filter_policy,
)
from clusterwright_localaws.services.sns.http_endpoints import is_endpoint

_PROTOCOLS: Final = frozenset(
    {
        "application",
        "email",
        "email-json",
        "firehose",
        "http",
        "https",
        "lambda",
        "sms",
        "sqs",
    }
)
_ATTRIBUTES: Final = frozenset(
    {
        "DeliveryPolicy",
        "FilterPolicy",
        "FilterPolicyScope",
        "RawMessageDelivery",
        "RedrivePolicy",
        "SubscriptionRoleArn",
    }
)
_SCOPES: Final = (IN_BODY, IN_ATTRIBUTES)
_DEFAULTS: Final = {"FilterPolicyScope": IN_ATTRIBUTES, "RawMessageDelivery": "false"}
_FIFO: Final = ".fifo"
_IN_SUBSCRIBE: Final = "Attributes Reason: "
_OF_CUSTOMERS: Final = frozenset({"application", "email", "email-json", "http", "https", "sms"})
_ADDRESS: Final = re.compile(r"[^@\s]+@[^@\s]+")
_ID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@operation("sns", "Subscribe")
def subscribe(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    protocol, endpoint = request["Protocol"], request.get("Endpoint") or ""
    topic = topic_of(call)
    if protocol not in _PROTOCOLS:
        raise invalid(f"Amazon SNS does not support this protocol string: {protocol}")
    if protocol in ("http", "https") and not is_endpoint(endpoint, protocol):
        raise invalid("Endpoint must match the specified protocol")
    if topic.fifo_topic and protocol in _OF_CUSTOMERS:
        # https://docs.aws.amazon.com/sns/latest/dg/fifo-message-delivery.html; the text is ours.
        raise invalid(f"Protocol Reason: a FIFO topic cannot deliver to {protocol}")
    _check_endpoint(protocol, endpoint)
    if protocol == "sqs" and endpoint.endswith(_FIFO) and not topic.fifo_topic:
        # AWS says it twice.
        raise invalid(
            "Invalid parameter: Endpoint Reason: FIFO SQS Queues can not be subscribed to "
            "standard SNS topics"
        )
    attributes = request.get("Attributes") or {}
    scope = attributes.get("FilterPolicyScope") or _DEFAULTS["FilterPolicyScope"]
    # A filter policy is examined in its scope.
    names = sorted(attributes, key=lambda name: name != "FilterPolicyScope")
    for name in names:
        _check(name, attributes[name], scope, topic, endpoint, _IN_SUBSCRIBE)
    backend = moto_state.backend("sns", call.account, call.region)
    before = backend._find_subscription(topic.arn, endpoint, protocol)
    if before is not None:
        _check_same(before, attributes)
        return {"SubscriptionArn": _shown(before, asked=request.get("ReturnSubscriptionArn"))}
    made = _made(backend, topic, endpoint, protocol)
    made.attributes["SubscriptionPrincipal"] = _principal(call)
    for name in names:
        given = attributes[name]
        kept = given.lower() == "true" if name == "RawMessageDelivery" else given
        backend.set_subscription_attributes(made.arn, name, kept)
    request_confirmation(made)
    return {"SubscriptionArn": _shown(made, asked=request.get("ReturnSubscriptionArn"))}


def _check_endpoint(protocol: str, endpoint: str) -> None:
    if protocol in ("email", "email-json") and not _ADDRESS.fullmatch(endpoint):
        raise invalid("Email address")
    service = {"sqs": "SQS", "lambda": "Lambda", "firehose": "Firehose"}.get(protocol)
    if service is None:
        return
    parts = endpoint.split(":")
    if len(parts) < 6 or (protocol != "sqs" and parts[2] != protocol):
        # That of Firehose is in the form of the others.
        raise invalid(f"{service} endpoint ARN")


def _made(backend: Any, topic: Any, endpoint: str, protocol: str) -> Any:
    from moto.sns.exceptions import SNSException

    try:
        return backend.subscribe(topic.arn, endpoint, protocol)
    except SNSException as error:
        raise AwsError(error.code, str(error.message)) from None


def _shown(subscription: Any, *, asked: Any) -> str:
    return subscription.arn if asked or not is_pending(subscription) else "pending confirmation"


def _principal(call: Call) -> str:
    """Return the user or role that signed a call; the account itself for unknown callers."""
    root = f"arn:{call.partition}:iam::{call.account}:root"
    try:
        caller = call.signer() if call.signer is not None else None
    except AwsError:
        return root
    return (caller.role_arn or caller.arn or root) if caller is not None else root


def _check_same(subscription: Any, attributes: Mapping[str, str]) -> None:
    """Refuse to subscribe an endpoint again with other attributes."""
    for name, value in attributes.items():
        had = text(subscription.attributes.get(name) or _DEFAULTS.get(name, ""))
        same = value.lower() == had if name == "RawMessageDelivery" else value == had
        if not same:
            raise invalid(f"{_IN_SUBSCRIBE}Subscription already exists with different attributes")


@operation("sns", "SetSubscriptionAttributes")
def set_subscription_attributes(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    name, value = request["AttributeName"], request.get("AttributeValue") or ""
    subscription = _subscription_of(call)
    if name not in _ATTRIBUTES:
        raise invalid("AttributeName")
    scope = subscription.attributes.get("FilterPolicyScope") or _DEFAULTS["FilterPolicyScope"]
    _check(name, value, scope, subscription.topic, subscription.endpoint, "")
    raise ForwardToMoto


@operation("sns", "GetSubscriptionAttributes")
def get_subscription_attributes(call: Call) -> Mapping[str, Any]:
    subscription = _subscription_of(call)
    found = backend_of(call).get_subscription_attributes(subscription.arn)
    shown = {name: text(value) for name, value in found.items() if value not in (None, "")}
    shown.setdefault("SubscriptionPrincipal", _principal(call))
    return {"Attributes": shown}


@operation("sns", "Unsubscribe")
def unsubscribe(call: Call) -> Mapping[str, Any]:
    """End a subscription; one that does not exist is no error.

    Raises
    ------
    AwsError
        AuthorizationError: the request has no signature, and the subscription is one of a queue,
        or its confirmation asked for signatures.
    """
    arn = call.parameters["SubscriptionArn"]
    parts = parts_of("SubscriptionArn", arn)
    if not _ID.fullmatch(parts[-1]):
        raise invalid("SubscriptionId")
    backend = moto_state.existing("sns", parts[4], call.region)
    found = backend.subscriptions.get(arn) if backend is not None else None
    if backend is None or found is None:
        return {}
    if not call.signed and _ends_with_signature(found):
        # The code is documented, and the text is ours.
        raise AwsError("AuthorizationError", "Unsubscribe requires a signature", 403)
    del backend.subscriptions[arn]
    if not call.signed:
        confirm_end(found)
    return {}


def _ends_with_signature(subscription: Any) -> bool:
    asked = subscription.attributes.get("ConfirmationWasAuthenticated") is True
    return subscription.protocol == "sqs" or (not is_pending(subscription) and asked)


@operation("sns", "ListSubscriptions")
def list_subscriptions(call: Call) -> Mapping[str, Any]:
    return _listed(call, list(backend_of(call).subscriptions.values()))


@operation("sns", "ListSubscriptionsByTopic")
def list_subscriptions_by_topic(call: Call) -> Mapping[str, Any]:
    topic = topic_of(call)
    backend = moto_state.backend("sns", topic.account_id, call.region)
    return _listed(call, [one for one in backend.subscriptions.values() if one.topic is topic])


def _listed(call: Call, found: list[Any]) -> Mapping[str, Any]:
    return paged(call, "Subscriptions", found, _view, default=100, maximum=100)


def _view(subscription: Any) -> dict[str, Any]:
    return {
        "SubscriptionArn": (
            "PendingConfirmation" if is_pending(subscription) else subscription.arn
        ),
        "Owner": subscription.owner,
        "Protocol": subscription.protocol,
        "Endpoint": subscription.endpoint,
        "TopicArn": subscription.topic.arn,
    }


def _subscription_of(call: Call) -> Any:
    arn = call.parameters["SubscriptionArn"]
    parts_of("SubscriptionArn", arn)
    found = backend_of(call).subscriptions.get(arn)
    if found is None:
        raise not_found("Subscription")
    return found


def _check(name: str, value: str, scope: str, topic: Any, endpoint: str, where: str) -> None:
    """Refuse a value of an attribute; `where` is what Subscribe adds to its messages."""
    if name not in _ATTRIBUTES:
        raise invalid(f"{where}{name}" if where else "AttributeName")
    if name == "RawMessageDelivery" and value.lower() not in ("true", "false"):
        raise invalid(f"{where}{name}: Invalid value [{value}]. Must be true or false.")
    if name == "FilterPolicyScope" and value not in _SCOPES:
        raise invalid(
            f"{where}{name}: Invalid value [{value}]. Please use either MessageBody or "
            "MessageAttributes"
        )
    if name in ("DeliveryPolicy", "FilterPolicy", "RedrivePolicy") and value:
        policy = _object(name, value, where)
        if name == "FilterPolicy":
            _check_filter(policy, scope, where)
        if name == "RedrivePolicy":
            _check_redrive(policy, topic, endpoint, where)


def _object(name: str, value: str, where: str) -> dict[str, Any]:
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        # AWS adds where its parser stopped.
        raise invalid(f"{where}{name}: failed to parse JSON.")
    return found


def _check_filter(policy: dict[str, Any], scope: str, where: str) -> None:
    try:
        check_filter_policy(policy, scope)
    except FilterPolicyError as error:
        raise invalid(f"{where}{error}") from None


def _check_redrive(policy: Mapping[str, Any], topic: Any, endpoint: str, where: str) -> None:
    target = str(policy.get("deadLetterTargetArn", ""))
    if len(target.split(":")) < 6:
        raise invalid(f"{where}RedrivePolicy: deadLetterTargetArn is an invalid arn")
    if topic.fifo_topic and endpoint.endswith(_FIFO) and not target.endswith(_FIFO):
        raise invalid(
            f"{where}RedrivePolicy: must use a FIFO queue as DLQ for a FIFO Subscription to a "
            "FIFO Topic."
        )
