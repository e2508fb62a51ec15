"""Progress lines: the current step, and how long each step took."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator

from tools.setup.errors import SetupError

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


def bring_up(title: str, build: Callable[[], bool | list[str]]) -> int:
    """Build what only the tests need, and print how long it took if anything was built.

    `build` returns whether anything was built, or the names of what was. Return 0, or 1 after the
    report of a SetupError.
    """
    started = time.monotonic()
    try:
        built = build()
    except SetupError as error:
        error.report()
        return 1
    if built:
        names = f" ({', '.join(built)})" if isinstance(built, list) else ""
        _write(f"setup: {title}{names} {time.monotonic() - started:.1f} s\n")
    return 0


def _dots(finished: threading.Event) -> None:
    while not finished.wait(_SECONDS_PER_DOT):
        _write(".")


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
