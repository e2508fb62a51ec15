"""The encryption key."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cost.bill import Line
from clusterwright.cost.line_builder import Item, Pricing

KEY = Item("kms", "key", "key-month")
REQUESTS = Item("kms", "requests", "10000 requests")


def lines(pricing: Pricing) -> Iterator[Line]:
    """The key, unless one is given, and requests to it in any case."""
    if pricing.cluster.identity.kms_key_arn is None:
        yield pricing.line("identity", "KMS key", 1, KEY, path=("identity",))
    yield pricing.used("identity", "KMS requests", REQUESTS, path=("identity",))
