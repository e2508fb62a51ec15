"""Which findings a waiver applies to."""

from __future__ import annotations


def covers(waived: str, path: str) -> bool:
    """Whether `path` is `waived` or below it: `compute[2]` covers `compute[2].count`."""
    return path == waived or path.startswith((f"{waived}.", f"{waived}["))
