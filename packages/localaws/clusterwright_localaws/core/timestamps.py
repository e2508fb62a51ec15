"""Times in messages of AWS's services."""

from __future__ import annotations

from datetime import datetime


def with_milliseconds(moment: datetime, zone: str = "Z") -> str:
    """Return a time of UTC with milliseconds, followed by `zone`: 2026-11-01T10:00:00.000Z."""
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}{zone}"
