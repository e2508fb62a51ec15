"""Tests of core.timers."""

from __future__ import annotations

import threading

import pytest

from clusterwright_localaws.core.runtime import Clock
from clusterwright_localaws.core.timers import Timers


class TestAgenda:
    def test_due_actions_run_in_chronological_order(self) -> None:
        clock, done = Clock(), []
        timers = Timers(clock)
        for seconds in (20, 0, 10):
            timers.after(seconds, lambda seconds=seconds: done.append(seconds))  # type: ignore[misc]
        timers.advance()
        assert done == [0]
        clock.advance(30)
        timers.advance()
        assert done == [0, 10, 20]

    def test_actions_can_schedule_further_actions(self) -> None:
        timers, done = Timers(Clock()), []
        timers.after(0, lambda: timers.after(0, lambda: done.append("second")))
        timers.advance()
        assert done == ["second"]


def test_threads_share_one_timers_object() -> None:
    """Clients in several threads advance the time; nothing happens twice."""
    done: list[int] = []
    timers = Timers(Clock())
    for number in range(200):
        timers.after(0, lambda number=number: done.append(number))  # type: ignore[misc]
    threads = [threading.Thread(target=timers.advance) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == list(range(200))


def test_an_action_that_raises_ends_in_the_failed_state(
    capsys: pytest.CaptureFixture[str],
) -> None:
    timers, done = Timers(Clock()), []

    def broken() -> None:
        raise ValueError("no capacity")

    timers.after(0, broken, lambda error: done.append(str(error)))
    timers.after(0, lambda: done.append("next"))
    timers.advance()
    assert done == ["no capacity", "next"]
    assert "ValueError: no capacity" in capsys.readouterr().err
