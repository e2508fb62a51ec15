"""Matching of findings and waivers."""

from __future__ import annotations


def covers(waived: str, path: str) -> bool:
    """Return whether `path` is `waived` or below it: `compute[2]` covers `compute[2].count`."""
    return path == waived or path.startswith((f"{waived}.", f"{waived}["))
