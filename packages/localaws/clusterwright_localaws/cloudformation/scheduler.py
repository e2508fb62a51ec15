"""Execution of the jobs of a stack operation: in dependency order, waiting ones concurrently.

Handlers of one process run one at a time: moto's state is not thread-safe. A handler gives way
only while it waits for a state (`Context.wait`), so a file system, a database and a cluster become
ready in parallel, and where nothing waits the order, and with it every generated id, is the same
in every run.
"""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable, Mapping, Sequence

_baton = threading.Lock()


def pause(seconds: float) -> None:
    """Let other jobs run for some seconds. Only inside a job."""
    worker = _workers.current
    if worker is None:
        time.sleep(seconds)
        return
    worker.settle()
    _baton.release()
    try:
        time.sleep(seconds)
    finally:
        _baton.acquire()


def in_a_job() -> bool:
    """Whether a job asks: what it starts cannot go on before the job pauses."""
    return _workers.current is not None


def run_jobs(
    names: Sequence[str],
    dependencies: Mapping[str, set[str]],
    job: Callable[[str], bool],
    *,
    keep_going: bool = False,
) -> set[str]:
    """Run `job` for every name after its dependencies, and return the names that failed.

    Parameters
    ----------
    names:
        In the order in which jobs that are ready are started.
    dependencies:
        For each name, the names that must have succeeded before.
    job:
        Does the work and returns whether it succeeded; it raises nothing.
    keep_going:
        After a failure, go on with what does not depend on it. Otherwise nothing new is
        started, and running jobs are awaited.
    """
    board = _Board()
    waiting = list(names)
    while True:
        seen = board.ended_count
        ready = [
            name
            for name in waiting
            if dependencies.get(name, set()) <= board.succeeded
            and (keep_going or not board.failed)
        ]
        for name in ready[:1]:
            waiting.remove(name)
            board.start(name, job)
        if not ready and not board.wait_for_more(seen):
            return board.failed


class _Worker(threading.local):
    current: _Job | None = None


_workers = _Worker()


class _Job:
    """The thread of one job. `settle` signals that the next job may start."""

    def __init__(self) -> None:
        self._settled = threading.Event()

    def settle(self) -> None:
        self._settled.set()

    def wait_settled(self) -> None:
        self._settled.wait()


class _Board:
    def __init__(self) -> None:
        self.succeeded: set[str] = set()
        self.failed: set[str] = set()
        self._running: set[str] = set()
        self._changed = threading.Condition()

    def start(self, name: str, job: Callable[[str], bool]) -> None:
        worker = _Job()
        self._running.add(name)
        threading.Thread(
            target=contextvars.copy_context().run,
            args=(self._work, name, job, worker),
            name=f"stack job {name}",
            daemon=True,
        ).start()
        worker.wait_settled()

    @property
    def ended_count(self) -> int:
        with self._changed:
            return len(self.succeeded) + len(self.failed)

    def wait_for_more(self, seen: int) -> bool:
        """Wait until more jobs than `seen` have ended; false where none runs that could."""
        with self._changed:
            self._changed.wait_for(lambda: self.ended_count > seen or not self._running)
            return self.ended_count > seen

    def _work(self, name: str, job: Callable[[str], bool], worker: _Job) -> None:
        _workers.current = worker
        succeeded = False
        try:
            with _baton:
                succeeded = job(name)
        finally:
            with self._changed:
                (self.succeeded if succeeded else self.failed).add(name)
                self._running.discard(name)
                self._changed.notify_all()
            worker.settle()
