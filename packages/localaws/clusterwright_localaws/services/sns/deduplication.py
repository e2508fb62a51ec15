"""Sequence numbers and duplicates of FIFO topics.

https://docs.aws.amazon.com/sns/latest/dg/fifo-message-dedup.html: a message with the id of one of
the last five minutes is accepted and not delivered. Its answer is that of the first, as recorded
on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

_INTERVAL: Final = timedelta(minutes=5)
# Numbers have 20 digits (API_Publish.html); the first one is ours.
_FIRST: Final = 10**19


@dataclass(frozen=True)
class Published:
    """What Publish answers."""

    message_id: str
    sequence_number: str | None = None


@dataclass
class Sequence:
    """The messages of a FIFO topic: the last number, and the ids of the last five minutes."""

    last: int = _FIRST
    seen: dict[tuple[str, str], tuple[datetime, Published]] = field(default_factory=dict)

    def next_number(self) -> str:
        self.last += 1
        return str(self.last)

    def before(self, key: tuple[str, str], now: datetime) -> Published | None:
        """Return the answer to the message of which one with this key is a duplicate."""
        for old in list(self.seen):
            if now - self.seen[old][0] < _INTERVAL:
                break
            del self.seen[old]
        found = self.seen.get(key)
        return found[1] if found is not None else None


def sequence_of(topic: Any) -> Sequence:
    """Return the sequence of moto's topic."""
    if not hasattr(topic, "sequence"):
        topic.sequence = Sequence()
    found: Sequence = topic.sequence
    return found


def key_of(topic: Any, message_id: str, group_id: str | None) -> tuple[str, str]:
    """Return within what an id is unique: the topic, or the group with that scope."""
    scope = getattr(topic, "fifo_throughput_scope", None)
    return (group_id or "" if scope == "MessageGroup" else "", message_id)


def digest(message: str) -> str:
    """Return the deduplication id that a message has by its content."""
    return hashlib.sha256(message.encode()).hexdigest()
