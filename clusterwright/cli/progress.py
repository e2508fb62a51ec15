"""One line of progress on a terminal, for what takes longer than a second."""

from __future__ import annotations

import time
from typing import TextIO

SILENT_SECONDS = 1.0


class ProgressLine:
    """`asking AWS: 12 of 22`, overwritten in place; nothing at all where nobody watches."""

    def __init__(self, stream: TextIO, what: str) -> None:
        self._stream = stream
        self._what = what
        self._started = time.monotonic()
        self._watched = stream.isatty()
        self._shown = 0

    def show(self, done: int, known: int) -> None:
        """Tell how far it is, once it has taken a second."""
        if not self._watched or time.monotonic() - self._started < SILENT_SECONDS:
            return
        line = f"{self._what}: {done} of {known}"
        self._stream.write(f"\r{line.ljust(self._shown)}")
        self._stream.flush()
        self._shown = max(self._shown, len(line))

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            self._stream.write("\r" + " " * self._shown + "\r")
            self._stream.flush()
            self._shown = 0
