"""moto does not answer when a channel was created and modified, which AWS's model requires.

https://docs.aws.amazon.com/mediapackage/latest/APIReference/API_CreateChannel.html
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = "MediaPackage v2: channels have `CreatedAt` and `ModifiedAt`"
REPRODUCTION = """\
mediapackage = boto3.client("mediapackagev2")
mediapackage.create_channel_group(ChannelGroupName="group")
channel = mediapackage.create_channel(ChannelGroupName="group", ChannelName="channel")
assert channel["CreatedAt"] == channel["ModifiedAt"]
"""


def apply() -> None:
    from moto.mediapackagev2.models import Channel

    initialise = Channel.__init__

    def __init__(self: Any, *arguments: Any, **named: Any) -> None:  # noqa: N807
        initialise(self, *arguments, **named)
        self.created_at = self.modified_at = datetime.now(UTC)

    Channel.__init__ = __init__  # type: ignore[method-assign]
