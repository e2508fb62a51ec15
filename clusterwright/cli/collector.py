"""Python's cyclic garbage collector, kept from running again and again in a short command.

A command that lives for a second makes half a million objects which it needs to its end: modules,
models, answers. By default the collector looks through them again and again, and through all of
them when Python ends, and finds next to nothing: a third of the processor time of a check. What is
no longer referred to is freed as ever, without the collector.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import threading
from collections.abc import Iterator
from typing import Final

ENOUGH_TO_LOOK: Final = 1_000_000
"""Containers more than were freed: a check makes about half as many, so that only an account of a
size that nobody foresaw makes the collector run."""

_ours = threading.Event()


def process_is_ours() -> None:
    """Say that this process ends with the command: nothing needs to be put back after it."""
    _ours.set()
    # The system takes the memory back, so nothing needs to be looked through for it.
    atexit.register(gc.freeze)


@contextlib.contextmanager
def collecting_seldom() -> Iterator[None]:
    """Within it the collector runs only after a million containers were made and not freed.

    What was set before is put back, except in a process that ends with the command: there the
    collector would look through everything at once.
    """
    before = gc.get_threshold()
    gc.set_threshold(ENOUGH_TO_LOOK, *before[1:])
    try:
        yield
    finally:
        if not _ours.is_set():
            gc.set_threshold(*before)
