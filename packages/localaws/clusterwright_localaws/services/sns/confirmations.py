"""Confirmation of subscriptions by a token that their endpoint gets.

https://docs.aws.amazon.com/sns/latest/dg/SendMessageToHttp.prepare.html. Messages and refusals as
recorded on AWS: docs/reference/probes.md, source `localstack`. Nobody reads the mail of the local
AWS, so that the token of a subscription by email is sent to nobody.
"""

from __future__ import annotations

import secrets
import string
import uuid
from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.sns import http_endpoints
from clusterwright_localaws.services.sns.arguments import invalid
from clusterwright_localaws.services.sns.notifications import service_url, signed

_CONFIRMED_BY_OWNERS: Final = frozenset({"email", "email-json", "http", "https"})
_TOKEN_BYTES: Final = 168
_SUBSCRIPTION_CONFIRMATION: Final = (
    "You have chosen to subscribe to the topic {arn}.\nTo confirm the subscription, visit the "
    "SubscribeURL included in this message."
)
_UNSUBSCRIBE_CONFIRMATION: Final = (
    "You have chosen to deactivate subscription {arn}.\nTo cancel this operation and restore the "
    "subscription, visit the SubscribeURL included in this message."
)


def is_pending(subscription: Any) -> bool:
    """Return whether nobody has confirmed a subscription."""
    return subscription.attributes.get("PendingConfirmation") is True


def request_confirmation(subscription: Any) -> None:
    """Leave moto's new subscription pending where its endpoint must confirm it, and ask."""
    if subscription.protocol not in _CONFIRMED_BY_OWNERS:
        return
    subscription.attributes |= {
        "PendingConfirmation": True,
        "ConfirmationWasAuthenticated": False,
    }
    subscription.token = secrets.token_hex(_TOKEN_BYTES)
    if subscription.protocol in ("http", "https"):
        text = _SUBSCRIPTION_CONFIRMATION.format(arn=subscription.topic.arn)
        _send(subscription, "SubscriptionConfirmation", text)


def confirm_end(subscription: Any) -> None:
    """Send the unsubscribe confirmation to the HTTP endpoint of a subscription that has ended."""
    if subscription.protocol in ("http", "https") and not is_pending(subscription):
        text = _UNSUBSCRIBE_CONFIRMATION.format(arn=subscription.arn)
        _send(subscription, "UnsubscribeConfirmation", text)


def _send(subscription: Any, kind: str, text: str) -> None:
    topic, message_id = subscription.topic, str(uuid.uuid4())
    base = service_url(topic.sns_backend.region_name)
    query = f"Action=ConfirmSubscription&TopicArn={topic.arn}&Token={subscription.token}"
    members = {
        "Type": kind,
        "MessageId": message_id,
        "Token": subscription.token,
        "Message": text,
        "SubscribeURL": f"{base}/?{query}",
    }
    headers = {
        "x-amz-sns-message-type": kind,
        "x-amz-sns-message-id": message_id,
        "x-amz-sns-topic-arn": topic.arn,
    }
    http_endpoints.send(subscription, headers, signed(topic, members))


@operation("sns", "ConfirmSubscription")
def confirm_subscription(call: Call) -> Mapping[str, Any]:
    """Confirm the subscription that has a token; a second time changes nothing.

    Raises
    ------
    AwsError
        InvalidParameter: no topic of this region, which need not exist; a token that nobody got.
    """
    token = call.parameters["Token"]
    parts = call.parameters["TopicArn"].split(":")
    if len(parts) != 6 or parts[3] != call.region:
        raise invalid("Topic")
    if not token or set(token) - set(string.hexdigits):
        raise AwsError("InvalidParameter", "Invalid token", 400)
    backend = moto_state.existing("sns", parts[4], call.region)
    for subscription in backend.subscriptions.values() if backend is not None else ():
        if secrets.compare_digest(getattr(subscription, "token", ""), token):
            asked = call.parameters.get("AuthenticateOnUnsubscribe", "").lower() == "true"
            subscription.attributes |= {
                "PendingConfirmation": False,
                "ConfirmationWasAuthenticated": asked and call.signed,
            }
            return {"SubscriptionArn": subscription.arn}
    raise invalid("Token")
