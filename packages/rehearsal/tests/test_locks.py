"""Locks between processes."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from clusterwright_rehearsal.locks import exclusive, exclusive_until, shared


def test_one_holder_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "below" / "lock"
    with exclusive(path) as first, exclusive(path, block=False) as second:
        assert (first, second) == (True, False)
    with exclusive(path, block=False) as again:
        assert again


def test_shared_holders_exclude_an_exclusive_one(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with shared(path), shared(path), exclusive(path, block=False) as got:
        assert not got
    with exclusive(path, block=False) as got:
        assert got


def test_who_waits_is_told_before_and_gets_the_lock_after(tmp_path: Path) -> None:
    path, waits, events = tmp_path / "lock", threading.Event(), []

    def second() -> None:
        with exclusive(path, wait=waits.set):
            events.append("second")

    thread = threading.Thread(target=second)
    with exclusive(path):
        thread.start()
        assert waits.wait(5)
        events.append("first")
    thread.join()
    assert events == ["first", "second"]


def test_waiting_ends(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with exclusive(path), exclusive_until(path, time.monotonic()) as got:
        assert not got
    with exclusive_until(path, time.monotonic()) as got:
        assert got
