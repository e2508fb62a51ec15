from __future__ import annotations

import threading
import time
from collections.abc import Iterable

import pytest

from clusterwright_localaws.cloudformation.scheduler import pause, run_jobs


def test_jobs_run_after_their_dependencies() -> None:
    done: list[str] = []

    def job(name: str) -> bool:
        done.append(name)
        return True

    failed = run_jobs(["c", "b", "a"], {"c": {"b"}, "b": {"a"}, "a": set()}, job)
    assert (done, failed) == (["a", "b", "c"], set())


def test_waiting_jobs_run_in_parallel() -> None:
    started: set[str] = set()
    ends = time.monotonic() + 30

    def job(name: str) -> bool:
        """Whether every job started while this one waited."""
        started.add(name)
        while len(started) < 8 and time.monotonic() < ends:
            pause(0.02)
        return len(started) == 8

    assert run_jobs([str(n) for n in range(8)], {}, job) == set()


def test_one_job_runs_at_a_time() -> None:
    inside = 0
    most = 0
    guard = threading.Lock()

    def job(name: str) -> bool:
        nonlocal inside, most
        for _ in range(5):
            with guard:
                inside += 1
                most = max(most, inside)
            time.sleep(0.001)
            with guard:
                inside -= 1
            pause(0.001)
        return True

    run_jobs([str(n) for n in range(10)], {}, job)
    assert most == 1


def test_no_job_starts_after_a_failure() -> None:
    done: list[str] = []

    def job(name: str) -> bool:
        done.append(name)
        return name != "bad"

    assert run_jobs(["a", "bad", "later"], {}, job) == {"bad"}
    assert done == ["a", "bad"]


def test_keep_going_omits_only_dependents_of_the_failure() -> None:
    done: list[str] = []

    def job(name: str) -> bool:
        done.append(name)
        return name != "bad"

    run_jobs(["bad", "after", "apart"], {"after": {"bad"}}, job, keep_going=True)
    assert done == ["bad", "apart"]


class _EndsFirst(set[str]):
    """The dependencies of a job that end just after the comparison that misses them."""

    def __init__(self, names: Iterable[str], may_end: threading.Event) -> None:
        super().__init__(names)
        self._may_end = may_end

    def __le__(self, other: object) -> bool:
        met = set(self) <= other  # type: ignore[operator]
        for thread in threading.enumerate():
            if thread.name in {f"stack job {name}" for name in self}:
                self._may_end.set()
                thread.join(10)
        return met


@pytest.mark.parametrize("others", [[], ["slow"]])
def test_a_job_that_ends_between_two_looks_is_not_missed(others: list[str]) -> None:
    may_end, after_ended = threading.Event(), threading.Event()

    def job(name: str) -> bool:
        ends = time.monotonic() + 10
        awaited = {"first": may_end, "slow": after_ended}.get(name)
        while awaited is not None and not awaited.is_set() and time.monotonic() < ends:
            pause(0.001)
        if name == "after":
            after_ended.set()
        return awaited is None or awaited.is_set()

    names = [*others, "first", "after"]
    assert run_jobs(names, {"after": _EndsFirst({"first"}, may_end)}, job) == set()
    assert after_ended.is_set()
