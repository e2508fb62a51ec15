"""The share of free space below which the stacks' alarms on file systems and databases fire."""

from __future__ import annotations

from typing import Final

FREE_PERCENT: Final = 10
"""Below this share of free space there is an alarm: add capacity or delete data."""


def usable_gib(capacity_gib: float) -> float:
    """Return the capacity that can be used without an alarm."""
    return capacity_gib * (100 - FREE_PERCENT) / 100
