"""Tests of services.sns.endpoint_queues."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

from clusterwright_localaws.services.sns.endpoint_queues import EndpointQueues

_LONG_S = 60


def test_an_endpoint_that_does_not_answer_delays_no_other_one() -> None:
    queues, answers, done = EndpointQueues(100), threading.Event(), queue.Queue[str]()

    def work(name: str, *, waits: bool) -> Callable[[], None]:
        def run() -> None:
            if waits:
                answers.wait(_LONG_S)
            done.put(f"{name} {threading.current_thread().daemon}")

        return run

    for number in range(10):
        assert queues.submit(f"slow{number}", work(f"slow{number}", waits=True))
    for name in ("first", "second"):
        assert queues.submit("slow0", work(name, waits=False))
    queues.submit("quick", work("quick", waits=False))
    # Daemon threads do not keep the process when it ends.
    assert done.get(timeout=_LONG_S) == "quick True"
    answers.set()
    rest = [done.get(timeout=_LONG_S).split()[0] for _ in range(12)]
    assert [name for name in rest if name in ("slow0", "first", "second")] == [
        "slow0",
        "first",
        "second",
    ]


def test_limit_of_what_waits() -> None:
    queues, answers, done = EndpointQueues(2), threading.Event(), threading.Event()

    def wait() -> None:
        answers.wait(_LONG_S)

    assert queues.submit("a", wait)
    assert queues.submit("a", done.set)
    assert not queues.submit("b", done.set)
    answers.set()
    assert done.wait(_LONG_S)
