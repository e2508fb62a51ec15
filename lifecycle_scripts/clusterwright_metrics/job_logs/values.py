"""Numbers of log lines."""

from __future__ import annotations

import math
import re
from typing import Final

NUMBER: Final = re.compile(r"[-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def number(text: str | None) -> float | None:
    """The first number of a text, with thousands commas; None for `N/A`, `nan` and infinity."""
    found = NUMBER.search(text) if text and len(text) < 400 else None
    if found is None:
        return None
    try:
        value = float(found.group().replace(",", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


LAST_TIME: Final = 4_102_444_800.0
"""2100-01-01: a later time stamp is damaged text."""

LONGEST_SECONDS: Final = 1e7
"""Four months: a longer step or save is damaged text."""


def time_of_day(seconds: float | None) -> float | None:
    """Seconds since 1970 up to the year 2100; None otherwise."""
    return seconds if seconds is not None and 0 <= seconds < LAST_TIME else None


def duration(seconds: float | None) -> float | None:
    """A duration of at most four months; None otherwise."""
    return seconds if seconds is not None and 0 <= seconds <= LONGEST_SECONDS else None


def positive(text: str | None) -> float | None:
    """A number above zero; None otherwise."""
    value = number(text)
    return value if value is not None and value > 0 else None


def count(text: str | None) -> int | None:
    """A whole number that is not negative; None otherwise."""
    value = number(text)
    if value is None or value < 0 or value != int(value):
        return None
    return int(value)
