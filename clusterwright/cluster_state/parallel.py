"""Independent reads of AWS, all sent at once, with a deadline."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from clusterwright.aws.errors import AwsUnavailable
from clusterwright.cluster_state.not_read import NotRead

MAXIMUM_THREADS: Final = 64
"""The connections that a session keeps for each service."""

K = TypeVar("K")

Progress = Callable[[int, int], None]
"""Called after each answer with the numbers of answers and of reads."""


def read_together(
    reads: Mapping[str, Callable[[], Any]],
    *,
    deadline_seconds: float,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Return the value of each read, or a NotRead, by its name.

    Each read has a thread, so that all take as long as the longest. Threads are daemons: an answer
    after the deadline delays nothing, not even the end of the program. A read that sends several
    requests at once uses `call_together`. Exceptions other than AwsUnavailable are raised.
    """
    done = _started(reads)
    found: dict[str, Any] = {}
    end = time.monotonic() + deadline_seconds
    while len(found) < len(reads):
        try:
            name, value, error = done.get(timeout=max(0.0, end - time.monotonic()))
        except queue.Empty:
            break
        if isinstance(error, AwsUnavailable):
            value = NotRead.from_error(name, error)
        elif error is not None:
            raise error
        found[name] = value
        if progress is not None:
            progress(len(found), len(reads))
    late = f"AWS did not answer within {deadline_seconds:g} s"
    hint = "allow more time: --timeout"
    return {name: found[name] if name in found else NotRead(name, late, hint) for name in reads}


def call_together(*calls: Callable[[], Any]) -> list[Any]:
    """Return the values of the calls of one read, in their order.

    Its deadline is that of `read_together`; unlike the workers of an executor, which Python joins
    at the end of the program, these threads are daemons too. The first exception is raised.
    """
    done = _started(dict(enumerate(calls)))
    found: dict[int, Any] = {}
    while len(found) < len(calls):
        index, value, error = done.get()
        if error is not None:
            raise error
        found[index] = value
    return [found[index] for index in range(len(calls))]


def _started(
    reads: Mapping[K, Callable[[], Any]],
) -> queue.SimpleQueue[tuple[K, Any, Exception | None]]:
    """Start the reads; the queue gets the value or the exception of each as it ends."""
    todo: queue.SimpleQueue[tuple[K, Callable[[], Any]]] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[K, Any, Exception | None]] = queue.SimpleQueue()
    for item in reads.items():
        todo.put(item)

    def work() -> None:
        while True:
            try:
                name, read = todo.get_nowait()
            except queue.Empty:
                return
            try:
                done.put((name, read(), None))
            except Exception as error:  # noqa: BLE001 (the caller raises it)
                done.put((name, None, error))

    for _ in range(min(len(reads), MAXIMUM_THREADS)):
        threading.Thread(target=work, daemon=True).start()
    return done
