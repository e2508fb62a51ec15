"""The encryption key."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cost.bill import Line
from clusterwright.cost.line_builder import Item, LineBuilder

KEY = Item("kms", "key", "key-month")
REQUESTS = Item("kms", "requests", "10000 requests")


def lines(builder: LineBuilder) -> Iterator[Line]:
    """The key, unless the spec names one, and requests to it."""
    if builder.cluster.identity.kms_key_arn is None:
        yield builder.line("identity", "KMS key", 1, KEY, path=("identity",))
    yield builder.used("identity", "KMS requests", REQUESTS, path=("identity",))
