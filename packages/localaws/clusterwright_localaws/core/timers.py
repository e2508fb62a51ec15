"""Timers: state changes that happen after a delay."""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clusterwright_localaws.core.runtime import Clock


class Timers:
    """Actions that are due at a time; `advance` runs them in order."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._entries: list[tuple[datetime, int, Callable[[], object]]] = []
        self._count = 0
        self._lock = threading.RLock()

    def after(
        self,
        seconds: float,
        what: Callable[[], object],
        failed: Callable[[Exception], object] | None = None,
    ) -> None:
        """Schedule an action after a delay of the world; without a delay, before the next call.

        The call that starts it therefore answers CREATING, UPDATING or DELETING, as on AWS.
        `failed` receives the exception of an action that raises one, and sets the failed state of
        the resource: without it, the resource keeps the state of the call that started the action,
        and whoever waits for it waits without end. An action that calls other services needs it.
        """
        if failed is not None:
            what = _with_failure(what, failed)
        with self._lock:
            self._count += 1
            due = self._clock.now() + timedelta(seconds=seconds)
            self._entries.append((due, self._count, what))
            self._entries.sort(key=lambda entry: entry[:2])

    def advance(self) -> None:
        """Run every action that is due."""
        with self._lock:
            while self._entries and self._entries[0][0] <= self._clock.now():
                self._entries.pop(0)[2]()


def _with_failure(
    what: Callable[[], object], failed: Callable[[Exception], object]
) -> Callable[[], None]:
    def run() -> None:
        try:
            what()
        except Exception as error:  # noqa: BLE001  any failure ends in a failed state
            traceback.print_exception(error, file=sys.stderr)
            failed(error)

    return run


def timers() -> Timers:
    """Return the timers of resources that moto keeps, in the local AWS of this process."""
    from clusterwright_localaws.core.runtime import runtime

    current = runtime()
    return current.store("timers", "", "", lambda: Timers(current.clock))
