"""What happens by itself after a while, so that resources pass through their states."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clusterwright_localaws.core.runtime import Clock


class Timers:
    """Things to do at a time, done in the order of their times when somebody looks."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._entries: list[tuple[datetime, int, Callable[[], object]]] = []
        self._count = 0
        self._lock = threading.RLock()

    def after(self, seconds: float, what: Callable[[], object]) -> None:
        """Let something happen after a delay of the world; without one, before the next call.

        The answer to the call that starts it so is CREATING, UPDATING or DELETING, as AWS's is.
        """
        with self._lock:
            self._count += 1
            due = self._clock.now() + timedelta(seconds=seconds)
            self._entries.append((due, self._count, what))
            self._entries.sort(key=lambda entry: entry[:2])

    def advance(self) -> None:
        """Do everything that is due by now."""
        with self._lock:
            while self._entries and self._entries[0][0] <= self._clock.now():
                self._entries.pop(0)[2]()


def timers() -> Timers:
    """Return the timers of what moto keeps, in the local AWS of this process."""
    from clusterwright_localaws.core.runtime import runtime

    current = runtime()
    return current.store("timers", "", "", lambda: Timers(current.clock))
