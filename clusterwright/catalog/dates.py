"""Dates of sources (`2026-09`, `2026-10-08/09`, `undated`) as days."""

from __future__ import annotations

import datetime as dt
import re
from typing import Final

STALE_AFTER_DAYS: Final = 90

_DAY: Final = re.compile(r"(?:undated; between )?(\d{4})(?:-(\d{2})(?!\d)(?:-(\d{2}))?)?")


def as_of(date: str) -> dt.date | None:
    """The earliest day of a source's date, or `None` without one.

    The earliest is taken because nothing shows that the value is younger: `2026-09..11` is
    2026-09-01, `undated; between 2025-11-18 and 2026-05` is 2025-11-18, and `before 2026-01` is
    `None`, as is an invalid date.
    """
    found = _DAY.match(date)
    if found is None:
        return None
    year, month, day = found.groups()
    try:
        return dt.date(int(year), int(month or 1), int(day or 1))
    except ValueError:
        return None


def is_impossible(date: str) -> bool:
    """Whether a date has the form of a day but is invalid (`2026-02-30`)."""
    return _DAY.match(date) is not None and as_of(date) is None


def is_stale(date: str, today: dt.date) -> bool:
    """Whether a value is older than 90 days, or its date is unknown."""
    day = as_of(date)
    return day is None or (today - day).days > STALE_AFTER_DAYS
