"""Whether a waiver's path means a finding's."""

from __future__ import annotations


def covers(waived: str, path: str) -> bool:
    """Whether `waived` is `path`, or one that `path` lies in: `compute[2]` covers its `count`."""
    return path == waived or path.startswith((f"{waived}.", f"{waived}["))
