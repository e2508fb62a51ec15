"""moto's Publish fails if one subscriber cannot be reached, and then leaves out the next ones.

SNS answers when it has accepted a message, and delivers it, with retries, afterwards:
https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "SNS: a delivery that fails neither refuses the message nor stops the other ones"


def apply() -> None:
    from moto.sns.exceptions import InvalidParameterValue
    from moto.sns.models import Subscription

    in_moto = Subscription.publish

    def publish(self: Any, *arguments: Any, **named: Any) -> None:
        try:
            in_moto(self, *arguments, **named)
        except InvalidParameterValue:
            # The message itself is refused.
            raise
        except Exception as error:
            if not runtime().active:
                raise
            reason = f"{type(error).__name__}: {error}"
            runtime().warn(f"SNS: no delivery from {self.topic.arn} to {self.endpoint}: {reason}")

    Subscription.publish = publish  # type: ignore[method-assign]
