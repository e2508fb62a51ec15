"""Errors that stand on several lines: wrapped ones of AWS's SDK for Go, messages of XLA and of
NVIDIA's driver.

The SDK writes the error behind an error after `caused by: `, and the status of the request after
that, on lines of their own (`awserr.SprintError`). XLA's exceptions have the statuses of calls
within each other, each after a colon and on a line that names a file of its source. The driver
writes that its versions differ on four lines.
"""

from __future__ import annotations

import re
from typing import Final

_CAUSED_BY: Final = re.compile(r"^\s*caused by: \S")
_STATUS: Final = re.compile(r"^\s*status code: [1-5]\d\d\b")
_OPEN: Final = re.compile(r"\b[A-Z]\w*(?:Error|Exception): .*:\s*$")
_PLACE: Final = re.compile(r"^\s*(?:external/|xla/|tensorflow/)[\w./-]{3,120}\.(?:cc|h):\d+: \S")
_DRIVER: Final = "NVRM: "
_VERSIONS: Final = re.compile(
    r"NVRM: (?:this kernel module has the version|make sure that this kernel|components have)"
)
_MOST_CAUSES: Final = 6


class Causes:
    """Reads texts in order, and holds one back for what its next lines add."""

    def __init__(self) -> None:
        self._lines = 0
        self._open = False
        self._of_driver = False

    def is_part(self, text: str) -> bool:
        """Whether a line is a part of the error before it."""
        goes_on = (
            _CAUSED_BY.match(text)
            or (self._lines and _STATUS.match(text))
            or (self._open and _PLACE.match(text))
            or (self._of_driver and _VERSIONS.search(text))
        )
        self._open = bool(_OPEN.search(text))
        self._of_driver = _DRIVER in text
        self._lines = self._lines + 1 if goes_on else 0
        return 0 < self._lines <= _MOST_CAUSES
