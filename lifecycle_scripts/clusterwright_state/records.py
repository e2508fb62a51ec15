"""Records that Slurm's commands print: rows with a separator, states, times.

Source: scontrol(1), squeue(1), sacct(1) of Slurm 24.11; not in JSON, which needs a plug-in that is
not on every image.
"""

from __future__ import annotations

import re
from typing import Optional

SEPARATOR = "\x1f"
"""Of columns: it occurs in no name of a job or a node."""

_NOTHING = ("", "(null)", "None", "N/A", "Unknown", "none")
_MARKS = "*~#!%$@^-+"
_SINCE = re.compile(r"^(.*?) ?\[([^@\]]+)@([0-9T:-]+)\]$")


def rows(text: str, columns: int) -> list[list[str]]:
    """Rows of a command with `SEPARATOR` between the columns; others are left out."""
    found = [line.split(SEPARATOR) for line in text.splitlines()]
    return [[cell.strip() for cell in row] for row in found if len(row) == columns]


def text_or_none(value: str) -> Optional[str]:
    """None for what Slurm prints in place of nothing."""
    return None if value in _NOTHING else value


def time_or_none(value: str) -> Optional[str]:
    """A time that a command printed with `TZ=UTC`, in ISO 8601."""
    found = text_or_none(value)
    return None if found is None else found + "Z"


def state_words(state: str) -> list[str]:
    """`IDLE*+DRAIN+NOT_RESPONDING` gives IDLE, DRAIN and NOT_RESPONDING."""
    return [word.strip(_MARKS) for word in state.split("+") if word.strip(_MARKS)]


def reason_parts(reason: str) -> tuple[str, Optional[str], Optional[str]]:
    """`Not responding [root@2026-11-23T07:58:00]` as text, author and time."""
    match = _SINCE.match(reason)
    if match is None:
        return ("" if text_or_none(reason) is None else reason), None, None
    return match.group(1), match.group(2), match.group(3) + "Z"
