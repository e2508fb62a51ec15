"""The state of one local AWS: its world, its clock, and the stores of its services.

One process has one local AWS at a time, because moto's own state is global to the process.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol, TypeVar

from clusterwright_localaws.core.faults import FaultBook, NodeFaultBook
from clusterwright_localaws.core.overrides import OverrideBook
from clusterwright_localaws.core.paging_model import Rest
from clusterwright_localaws.worlds.injections import (
    ClusterEvent,
    LogLines,
    NodeFault,
    Override,
)
from clusterwright_localaws.worlds.model import Fault, World

T = TypeVar("T")


class CallLog(Protocol):
    """Recorder of calls."""

    def write(self, line: Mapping[str, Any], secrets: Collection[str] = ()) -> None:
        """Append one call, without secrets that are known of it or of calls before."""


class Clock:
    """The time of the services; tests advance it instead of waiting."""

    def __init__(self) -> None:
        self._offset = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self._offset

    def advance(self, seconds: float) -> None:
        """Advance the time of the services, so that delays and plans end."""
        self._offset += timedelta(seconds=seconds)


class Runtime:
    """One local AWS. `lock` guards the stores: implemented services run one call at a time."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.clock = Clock()
        self.lock = threading.RLock()
        self._count_anew()
        # The rest of pages that a fault shortened, by token.
        self.pages_left: dict[str, Rest] = {}
        # Tokens of pages that moto issued: service, operation, account, region and token.
        self.tokens_issued: dict[tuple[str, str, str, str, str], None] = {}
        # Access keys of sessions that ended before their time; programs that run nodes add them.
        self.ended_keys: set[str] = set()
        # The server's log of warnings; without a server nothing is said.
        self.log: Callable[[str], None] | None = None
        self._warned: set[str] = set()
        # Recorder of calls; None if calls are not recorded.
        self.recorder: CallLog | None = None
        # Installed but not active: requests pass to plain moto untouched.
        self.active = True
        # URL of the server for clients (http://localhost:4566); None in process.
        self.address: str | None = None
        self._stores: dict[tuple[str, str, str], Any] = {}

    def store(self, kind: str, account: str, region: str, factory: Callable[[], T]) -> T:
        """Return the store of a service for an account and region; created at the first call."""
        key = (kind, account, region)
        with self.lock:
            if key not in self._stores:
                self._stores[key] = factory()
            found: T = self._stores[key]
            return found

    def stores(self, kind: str) -> Iterator[tuple[str, str, Any]]:
        """Yield every existing (account, region, store) of one kind."""
        with self.lock:
            found = [(a, r, store) for (k, a, r), store in self._stores.items() if k == kind]
        yield from found

    def everything(self) -> Iterator[tuple[str, str, str, Any]]:
        """Yield every (kind, account, region, store), sorted."""
        with self.lock:
            found = sorted(self._stores.items(), key=lambda pair: pair[0])
        for (kind, account, region), store in found:
            yield kind, account, region, store

    def advance(self) -> None:
        """Run everything that is due, in every store with timers."""
        with self.lock:
            for store in list(self._stores.values()):
                advance = getattr(store, "advance", None)
                if advance is not None:
                    advance()

    def set_faults(self, faults: Sequence[Fault]) -> None:
        """Replace the faults of the world; calls are counted anew."""
        with self.lock:
            self.world = self.world.model_copy(update={"faults": list(faults)})
            self.faults = FaultBook(faults)

    def inject(
        self,
        *,
        faults: Sequence[Fault] | None = None,
        overrides: Sequence[Override] | None = None,
        node_faults: Sequence[NodeFault] | None = None,
        cluster_events: Sequence[ClusterEvent] | None = None,
        log_lines: Sequence[LogLines] | None = None,
    ) -> None:
        """Replace what the world injects, while the local AWS runs; `None` keeps what is there.

        Calls and nodes are counted anew. Lines and events that are written already stay.

        Raises
        ------
        ValueError
            An injection contradicts an API model.
        """
        from clusterwright_localaws.worlds.contradictions import with_changes

        given = {
            "faults": faults,
            "overrides": overrides,
            "node_faults": node_faults,
            "cluster_events": cluster_events,
            "log_lines": log_lines,
        }
        changes = {
            name: [each.model_dump() for each in items]
            for name, items in given.items()
            if items is not None
        }
        with self.lock:
            self.world = with_changes(self.world, changes)
            self._count_anew()

    def forget(self) -> None:
        """Remove everything that was created; the world stays."""
        with self.lock:
            self._stores.clear()
            self._count_anew()

    def warn(self, text: str) -> None:
        """Write a warning to the log, the first time."""
        if self.log is None:
            return
        with self.lock:
            new = text not in self._warned
            self._warned.add(text)
        if new:
            self.log(f"warning: {text}")

    def _count_anew(self) -> None:
        self.faults = FaultBook(self.world.faults)
        self.overrides = OverrideBook(self.world.overrides)
        self.node_faults = NodeFaultBook(self.world.node_faults)


class _Process:
    """The local AWS of the process: moto's state is global to the process, and so is this."""

    def __init__(self) -> None:
        self.current = Runtime(World())
        self.current.active = False


_process = _Process()


def runtime() -> Runtime:
    """Return the local AWS of this process."""
    return _process.current


@contextmanager
def running(world: World) -> Iterator[Runtime]:
    """Run a new local AWS inside a `with` block."""
    before = _process.current
    fresh = _process.current = Runtime(world)
    try:
        yield fresh
    finally:
        fresh.active = False
        _process.current = before
