"""One set-up at a time in a checkout: `make test` and `make demo` may start together."""

from __future__ import annotations

import contextlib
import fcntl
import sys
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def only_one(path: Path) -> Iterator[None]:
    """Hold an advisory lock on `path`, waiting for another set-up to finish."""
    path.parent.mkdir(exist_ok=True)
    with path.open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("setup: another set-up is running in this checkout; waiting", file=sys.stderr)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
