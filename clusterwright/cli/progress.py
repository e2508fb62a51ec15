"""A progress line on the terminal for work that takes longer than a second."""

from __future__ import annotations

import time
from typing import TextIO

SILENT_SECONDS = 1.0


class ProgressLine:
    """A line such as `reading from AWS: 12 of 22`, overwritten in place; only on a terminal."""

    def __init__(self, stream: TextIO, what: str) -> None:
        self._stream = stream
        self._what = what
        self._started = time.monotonic()
        self._is_terminal = stream.isatty()
        self._shown = 0

    def show(self, done: int, known: int) -> None:
        """Show the progress once a second has passed."""
        if not self._is_terminal or time.monotonic() - self._started < SILENT_SECONDS:
            return
        line = f"{self._what}: {done} of {known}"
        self._stream.write(f"\r{line.ljust(self._shown)}")
        self._stream.flush()
        self._shown = max(self._shown, len(line))

    def clear(self) -> None:
        """Erase the line."""
        if self._shown:
            self._stream.write("\r" + " " * self._shown + "\r")
            self._stream.flush()
            self._shown = 0
