"""A re-check stops when a job of a user waits for nodes."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from clusterwright_acceptance.giving_way import GivingWay
from clusterwright_acceptance.launcher import Launched


class Cluster:
    """A queue, and a launcher whose jobs end when they are cancelled."""

    def __init__(self) -> None:
        self.waiting: str | None = None
        self.started: list[Sequence[str]] = []
        self.cancelled = threading.Event()
        self.submit_a_job = False

    def run(self, nodes: Sequence[str], argv: Sequence[str], **_: Any) -> Launched:
        self.started.append(nodes)
        if not self.submit_a_job:
            return Launched(0, "0: done", "")
        self.waiting = "12"
        assert self.cancelled.wait(10)
        return Launched(1, "0: half", "srun: error: n1: task 0: Terminated", ("n1",))

    def way(self) -> GivingWay:
        return GivingWay(lambda: self.waiting, self.cancelled.set, look_seconds=0.01)


def launched(way: GivingWay, cluster: Cluster) -> Launched:
    launcher = way.launcher(cluster)
    return launcher.run(["n1"], ["x"], tasks_per_node=1, timeout_seconds=1.0, env={})


def test_without_waiting_jobs_it_runs_to_the_end() -> None:
    cluster = Cluster()
    with cluster.way() as way:
        assert launched(way, cluster) == Launched(0, "0: done", "")
    assert way.stopped() is None
    assert not cluster.cancelled.is_set()


def test_what_was_cancelled_says_nothing_about_its_nodes() -> None:
    cluster = Cluster()
    cluster.submit_a_job = True
    with cluster.way() as way:
        first, second = launched(way, cluster), launched(way, cluster)
    assert way.stopped() == "stopped: job 12 waits for nodes"
    assert first == second == Launched(1, "", "stopped: job 12 waits for nodes")
    assert not first.started
    assert len(cluster.started) == 1


def test_a_job_that_waits_already_is_seen_before_the_first_test() -> None:
    cluster = Cluster()
    cluster.waiting = "7"
    with cluster.way() as way:
        launched(way, cluster)
    assert cluster.started == []
