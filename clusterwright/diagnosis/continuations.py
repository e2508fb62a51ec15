"""What programs in Go write on several lines, as one: wrapped errors of AWS's SDK, and panics.

AWS's SDK for Go writes the error behind an error after `caused by: `, and the status of the
request after that, on lines of their own (`awserr.SprintError`). Go's runtime writes a panic, and
after it the frames of the goroutine that ended, of which the first outside the runtime is the
place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_CAUSED_BY: Final = re.compile(r"^\s*caused by: \S")
_STATUS: Final = re.compile(r"^\s*status code: [1-5]\d\d\b")
_MOST_CAUSES: Final = 6
_PANIC: Final = re.compile(r"(?:^|[\s|│])panic: (?P<message>\S[^\n]{0,200})")
_GOROUTINE: Final = re.compile(r"\bgoroutine \d+ \[")
_FRAME: Final = re.compile(
    # `host/owner/name/package.(*Type).method(0x1, ...)`; a terminal may break the line at a dot.
    r"(?:^|[\s|│])(?P<package>[a-z][\w-]*(?:\.[a-z][\w-]*)+/[\w./-]*\w)\. ?[\w(]"
)
_MOST_LINES: Final = 40
HEAD: Final = "go panic: "


class Causes:
    """Reads texts in order, and holds one back for what its next lines add."""

    def __init__(self) -> None:
        self._lines = 0

    def is_part(self, text: str) -> bool:
        """Whether a line is a part of the error before it."""
        goes_on = _CAUSED_BY.match(text) or (self._lines and _STATUS.match(text))
        self._lines = self._lines + 1 if goes_on else 0
        return 0 < self._lines <= _MOST_CAUSES


class Panics:
    """Reads lines in order; yields a panic with its package at the first frame of a program."""

    def __init__(self) -> None:
        self._message = ""
        self._number = 0
        self._left = 0
        self._in_goroutine = False

    def read(self, text: str, number: int) -> Iterator[tuple[str, int]]:
        """Yield the panic whose place a line states: its text, and the number of its first
        line.
        """
        panic = _PANIC.search(text) if "panic: " in text else None
        if panic is not None:
            self._message, self._number = panic["message"].strip(), number
            self._left, self._in_goroutine = _MOST_LINES, False
            return
        if not self._left:
            return
        self._left -= 1
        if not self._in_goroutine:
            self._in_goroutine = bool(_GOROUTINE.search(text))
            return
        frame = _FRAME.search(text)
        if frame is not None:
            self._left = 0
            yield f"{HEAD}{self._message} in {frame['package']}", self._number
