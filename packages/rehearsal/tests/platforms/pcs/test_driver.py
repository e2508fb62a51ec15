"""AWS PCS's driver: orders one after another, failures, reboots, and the end."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from clusterwright_localaws.drivers import PcsOrder
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.platforms.pcs import driver as module
from clusterwright_rehearsal.platforms.pcs.driver import Pcs
from clusterwright_rehearsal.platforms.pcs.settings import Settings
from packages.rehearsal.tests.platforms.pcs.orders import order


class Cluster:
    """A cluster that keeps what it was told; `failure` is raised by the next order."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.failure: Exception | None = None

    def apply(self, order: PcsOrder) -> None:
        self.done.append(order.cluster_id)
        if self.failure is not None:
            raise self.failure

    def end(self) -> None:
        self.done.append("end")

    def look(self) -> None:
        raise LookupError

    def reboot(self, node: Any) -> None:
        self.done.append(f"reboot {node.order.name}")

    def nodes(self) -> list[Any]:
        return [SimpleNamespace(order=SimpleNamespace(name="workers-1", instance_id="i-1"))]


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    found = Cluster()
    monkeypatch.setattr(module, "RunningCluster", lambda *_: found)
    monkeypatch.setattr(module, "AwsClients", Mock())
    monkeypatch.setattr(module, "_EVERY_S", 0.01)
    return found


@pytest.fixture
def driver() -> Pcs:
    return Pcs(Mock(), "http://localhost:1", Mock(), Settings(), Mock())


def test_orders_of_a_cluster_are_applied_and_its_end(driver: Pcs, cluster: Cluster) -> None:
    driver.apply(order()).result(5)
    driver.apply(order()).result(5)
    driver.end("pcs_c").result(5)
    assert cluster.done == ["pcs_c", "pcs_c", "end"]
    assert driver.nodes() == []
    driver.close()


def test_failure_is_the_text_that_the_api_shows(driver: Pcs, cluster: Cluster) -> None:
    cluster.failure = RehearsalError("slurmctld did not start", "look")
    failed = driver.apply(order()).exception(5)
    assert isinstance(failed, RuntimeError)
    assert str(failed) == "slurmctld did not start"
    driver.close()


def test_nodes_are_found_by_name_and_instance(driver: Pcs, cluster: Cluster) -> None:
    driver.apply(order()).result(5)
    for name in ("workers-1", "i-1"):
        found = driver.node(name)
        assert found is not None
        assert found.order.name == "workers-1"
    assert driver.node("workers-2") is None
    driver.reboot("workers-1")
    assert cluster.done[-1] == "reboot workers-1"
    with pytest.raises(LookupError, match="no node workers-2"):
        driver.reboot("workers-2")
    driver.close()
    assert cluster.done[-1] == "end"
