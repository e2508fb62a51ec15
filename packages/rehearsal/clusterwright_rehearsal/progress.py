"""Progress of long operations: estimates, and lines while nothing else is printed."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator

Progress = Callable[[str], None]

_EVERY_S = 15.0
_MINUTE_S = 60


def duration(seconds: float) -> str:
    """An estimate in words: `40 seconds`, `3 minutes`; never zero."""
    if seconds < 1.5 * _MINUTE_S:
        count, unit = max(10, round(seconds / 10) * 10), "second"
    else:
        count, unit = round(seconds / _MINUTE_S), "minute"
    return f"{count} {unit}s"


@contextlib.contextmanager
def heartbeat(progress: Progress, what: str, every_s: float = _EVERY_S) -> Iterator[None]:
    """Report the elapsed time every `every_s` seconds inside the `with` block."""
    ended, started = threading.Event(), time.monotonic()

    def beat() -> None:
        while not ended.wait(every_s):
            progress(f"{what}: {time.monotonic() - started:.0f} s so far")

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
