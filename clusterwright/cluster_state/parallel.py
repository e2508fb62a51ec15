"""Independent reads of AWS, all sent at once, with a deadline."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from clusterwright.aws.errors import AwsUnavailable
from clusterwright.cluster_state.not_read import NotRead

MAXIMUM_THREADS: Final = 64
"""The connections that a session keeps for each service."""

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
    after the deadline delays nothing, not even the end of the program. Exceptions other than
    AwsUnavailable are raised.
    """
    todo: queue.SimpleQueue[tuple[str, Callable[[], Any]]] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[str, Any, BaseException | None]] = queue.SimpleQueue()
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
            except AwsUnavailable as error:
                done.put((name, NotRead.from_error(name, error), None))
            except Exception as error:  # noqa: BLE001 (the caller raises it)
                done.put((name, None, error))

    for _ in range(min(len(reads), MAXIMUM_THREADS)):
        threading.Thread(target=work, daemon=True).start()
    found: dict[str, Any] = {}
    end = time.monotonic() + deadline_seconds
    while len(found) < len(reads):
        try:
            name, value, error = done.get(timeout=max(0.0, end - time.monotonic()))
        except queue.Empty:
            break
        if error is not None:
            raise error
        found[name] = value
        if progress is not None:
            progress(len(found), len(reads))
    late = f"AWS did not answer within {deadline_seconds:g} s"
    hint = "allow more time: --timeout"
    return {name: found[name] if name in found else NotRead(name, late, hint) for name in reads}
