"""Progress lines: the current step, and how long each step took."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator

_SECONDS_PER_DOT = 5.0


class Progress:
    """Prints `setup: [3/6] title ... 9.8 s`; a dot every five seconds shows progress."""

    def __init__(self, steps: int) -> None:
        self._steps = steps

    @contextlib.contextmanager
    def step(self, number: int, title: str) -> Iterator[None]:
        started = time.monotonic()
        _write(f"setup: [{number}/{self._steps}] {title} ...")
        finished = threading.Event()
        dots = threading.Thread(target=_dots, args=(finished,), daemon=True)
        dots.start()
        try:
            yield
        except BaseException:
            finished.set()
            dots.join()
            _write(" failed\n")
            raise
        finished.set()
        dots.join()
        _write(f" {time.monotonic() - started:.1f} s\n")


def _dots(finished: threading.Event) -> None:
    while not finished.wait(_SECONDS_PER_DOT):
        _write(".")


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
