"""ParallelCluster's driver: outcomes of orders, and clustermgtd."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from clusterwright_localaws.drivers import ClusterOrder
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.platforms.parallelcluster import driver as module
from clusterwright_rehearsal.platforms.parallelcluster.driver import ParallelCluster
from clusterwright_rehearsal.platforms.parallelcluster.settings import Settings

ORDER = ClusterOrder("111122223333", "us-east-1", "train", {}, "/aws/parallelcluster/train")


class Cluster:
    """A cluster whose create and update answer `failure`, or raise it."""

    def __init__(self, *failures: str | Exception) -> None:
        self.failures = list(failures)
        self.done: list[str] = []
        self.rounds = 0

    def create(self) -> str:
        return self._answer("create")

    def update(self, order: ClusterOrder) -> str:
        assert order is ORDER
        return self._answer("update")

    def end(self) -> None:
        self.done.append("end")

    def nodes(self) -> list[Any]:
        machine = SimpleNamespace(name="ip-10-0-0-5")
        order = SimpleNamespace(name="workers-1", instance_id="i-1")
        return [SimpleNamespace(machine=machine, order=order)]

    def replace_unhealthy_nodes(self) -> None:
        self.rounds += 1

    def _answer(self, what: str) -> str:
        self.done.append(what)
        found = self.failures.pop(0) if self.failures else ""
        if isinstance(found, Exception):
            raise found
        return found


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    found = Cluster()
    monkeypatch.setattr(module, "RunningCluster", lambda *_: found)
    monkeypatch.setattr(module, "AwsClients", Mock())
    without_loop = SimpleNamespace(Thread=lambda **_: Mock(), RLock=threading.RLock)
    monkeypatch.setattr(module, "threading", without_loop)
    return found


@pytest.fixture
def driver() -> ParallelCluster:
    return ParallelCluster("http://localhost:1", Mock(), Settings(), Mock())


def deploy(driver: ParallelCluster) -> str | None:
    driver.bring_up(ORDER)
    driver._pool.shutdown(wait=True)
    driver._pool = ThreadPoolExecutor(1)
    return driver.outcome("train")


def test_a_cluster_is_created_and_then_updated(driver: ParallelCluster, cluster: Cluster) -> None:
    assert deploy(driver) == ""
    assert deploy(driver) == ""
    assert cluster.done == ["create", "update"]


@pytest.mark.parametrize(
    ("failure", "outcome"),
    [
        ("the action failed", "the action failed"),
        (RehearsalError("no head node"), "no head node"),
        (KeyError("x"), "the rehearsal failed: KeyError: 'x'"),
    ],
)
def test_failures_are_outcomes(
    driver: ParallelCluster, cluster: Cluster, failure: str | Exception, outcome: str
) -> None:
    cluster.failures = [failure]
    assert deploy(driver) == outcome


def test_an_order_has_no_outcome_before_its_end(driver: ParallelCluster) -> None:
    assert driver.outcome("train") is None


@pytest.mark.parametrize("name", ["workers-1", "ip-10-0-0-5", "i-1"])
def test_a_node_is_found_by_each_of_its_names(
    driver: ParallelCluster, cluster: Cluster, name: str
) -> None:
    deploy(driver)
    assert driver.node(name) is not None
    assert driver.node("nobody") is None


def test_the_end_of_a_cluster_is_the_end_of_its_machines(
    driver: ParallelCluster, cluster: Cluster
) -> None:
    deploy(driver)
    driver.end("train")
    driver.end("train")
    assert cluster.done == ["create", "end"]
    assert (driver.nodes(), driver.outcome("train")) == ([], None)


def test_closing_ends_every_cluster(driver: ParallelCluster, cluster: Cluster) -> None:
    deploy(driver)
    driver.close()
    assert driver.closing
    assert cluster.done == ["create", "end"]


def test_clustermgtd_goes_on_until_its_cluster_is_deleted(
    driver: ParallelCluster,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found: Any = Cluster()
    driver._clusters["train"] = found
    problems: list[Exception] = [RehearsalError("no answer"), ValueError("odd")]

    def replace() -> None:
        found.rounds += 1
        if problems:
            raise problems.pop(0)
        driver._clusters.clear()

    found.replace_unhealthy_nodes = replace
    monkeypatch.setattr(module.time, "sleep", lambda _: None)
    driver._clustermgtd("train", found)
    assert found.rounds == 3
    printed = capsys.readouterr()
    assert printed.out == "clustermgtd: no answer\n"
    assert "ValueError: odd" in printed.err
