"""moto delivers in its own form, to the first hundred subscribers, until one cannot be reached.

The local AWS publishes instead, whichever service of moto sends the message: with sequence numbers
and deduplication of FIFO topics, dead-letter queues, unconfirmed subscriptions left out, and the
signature of the topic's version.
https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.sns import deliveries

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "SNS: all subscribers get a message in AWS's form, also if one cannot be reached; FIFO topics "
    "number messages and leave out duplicates; what is not delivered goes to dead-letter queues"
)


def apply() -> None:
    from moto.sns.models import Topic

    in_moto = Topic.publish

    def publish(
        self: Any,
        message: str,
        subject: str | None = None,
        message_attributes: dict[str, Any] | None = None,
        group_id: str | None = None,
        deduplication_id: str | None = None,
        message_structure: str | None = None,
    ) -> str:
        if not runtime().active:
            return in_moto(
                self,
                message,
                subject,
                message_attributes,
                group_id,
                deduplication_id,
                message_structure,
            )
        published = deliveries.publish(
            self,
            deliveries.Message(
                message,
                subject,
                message_attributes,
                group_id,
                deduplication_id,
                message_structure,
            ),
        )
        return published.message_id

    Topic.publish = publish  # type: ignore[method-assign]
