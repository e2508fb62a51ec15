"""Wrapped errors of AWS's SDK for Go, which stand on several lines.

The SDK writes the error behind an error after `caused by: `, and the status of the request after
that, on lines of their own (`awserr.SprintError`).
"""

from __future__ import annotations

import re
from typing import Final

_CAUSED_BY: Final = re.compile(r"^\s*caused by: \S")
_STATUS: Final = re.compile(r"^\s*status code: [1-5]\d\d\b")
_MOST_CAUSES: Final = 6


class Causes:
    """Reads texts in order, and holds one back for what its next lines add."""

    def __init__(self) -> None:
        self._lines = 0

    def is_part(self, text: str) -> bool:
        """Whether a line is a part of the error before it."""
        goes_on = _CAUSED_BY.match(text) or (self._lines and _STATUS.match(text))
        self._lines = self._lines + 1 if goes_on else 0
        return 0 < self._lines <= _MOST_CAUSES
