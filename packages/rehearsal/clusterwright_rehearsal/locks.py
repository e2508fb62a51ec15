"""File locks between processes; the kernel releases them when the holder ends."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_LOOK_SECONDS = 0.1


@contextmanager
def exclusive(
    path: Path, *, block: bool = True, wait: Callable[[], None] | None = None
) -> Iterator[bool]:
    """Hold a lock file; yield whether it was acquired. `wait` is called before waiting."""
    with _locked(path, fcntl.LOCK_EX, block, wait) as got:
        yield got


@contextmanager
def exclusive_until(path: Path, ends: float) -> Iterator[bool]:
    """Hold a lock file, waiting for it until `ends` (monotonic clock)."""
    while True:
        with exclusive(path, block=False) as got:
            if got or time.monotonic() >= ends:
                yield got
                return
        time.sleep(_LOOK_SECONDS)


@contextmanager
def shared(path: Path) -> Iterator[None]:
    """Hold a lock file together with other shared holders."""
    with _locked(path, fcntl.LOCK_SH, True, None):
        yield


@contextmanager
def _locked(path: Path, kind: int, block: bool, wait: Callable[[], None] | None) -> Iterator[bool]:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if not block:
                yield False
                return
            if wait is not None:
                wait()
            fcntl.flock(handle, kind)
        yield True
    finally:
        os.close(handle)
