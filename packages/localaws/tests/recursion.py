"""A recursion limit for a test: other tests of the process may have raised it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def recursion_limit(calls: int) -> Iterator[None]:
    """Let at most this number of calls be nested, and restore the limit before."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(calls)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
