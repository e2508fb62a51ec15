"""Times as the records have them: `2026-11-23T08:00:00Z`, which sort as texts."""

from __future__ import annotations

import calendar
import time
from typing import Optional

_FORM = "%Y-%m-%dT%H:%M:%SZ"


def stamp(seconds: float) -> str:
    """The text of a time in seconds since 1970."""
    return time.strftime(_FORM, time.gmtime(seconds))


def seconds_of(text: Optional[str]) -> Optional[float]:
    """The time of a text in seconds since 1970; None of anything else."""
    try:
        return float(calendar.timegm(time.strptime(str(text), _FORM)))
    except ValueError:
        return None
