"""The lock for one run at a time. The kernel releases it when the process ends."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator

from clusterwright_node.errors import StepError
from clusterwright_node.machine import Machine

LOCK = "/run/clusterwright/node.lock"


@contextlib.contextmanager
def exclusive(machine: Machine, wait_seconds: float) -> Iterator[None]:
    """Hold the lock. Raises StepError if another run still has it after `wait_seconds`."""
    path = machine.path(LOCK)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _take(machine, handle, wait_seconds)
        os.ftruncate(handle, 0)
        os.pwrite(handle, b"%d\n" % os.getpid(), 0)
        yield
    finally:
        os.close(handle)


def _take(machine: Machine, handle: int, wait_seconds: float) -> None:
    ends = machine.monotonic() + wait_seconds
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError:
            if machine.monotonic() >= ends:
                holder = os.pread(handle, 20, 0).decode(errors="replace").strip() or "unknown"
                raise StepError(
                    f"another run (process {holder}) has held {LOCK} for {wait_seconds:g} s",
                    "wait for that run to end, or end that process",
                ) from None
        machine.sleep(0.2)
