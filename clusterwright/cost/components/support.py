"""AWS Support: a plan of the whole account, charged by what the account spends."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cost.bill import Line
from clusterwright.cost.pricing import Item, Pricing

PLAN = Item("support", "plan, this cluster's share", "month")


def lines(pricing: Pricing) -> Iterator[Line]:
    """A line that is unknown until the user says what the plan adds (0 with Basic Support)."""
    yield pricing.line(
        "support",
        "AWS Support plan of the account",
        1,
        PLAN,
        path=("account",),
        note="charged by the spending of the whole account; 0 with Basic Support",
    )
