"""A cluster of ParallelCluster with a driver: order of operations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.parallelcluster.cluster_driver import (
    ClusterOrder,
    attach_cluster_driver,
    driver_of,
)
from packages.localaws.tests.cloudformation.stacks import create, delete, reason, update
from packages.localaws.tests.services.parallelcluster.clusters import (
    Ground,
    body,
    lay_ground,
    nodes,
)


class Machines:
    """A driver without machines. `failures` are the results of its orders, in order."""

    def __init__(self, *failures: str) -> None:
        self._failures = list(failures)
        self._asked = 0
        self.orders: list[ClusterOrder] = []
        self.seen: list[int] = []
        """How many instances there were at each order."""
        self.ended: list[str] = []

    def bring_up(self, order: ClusterOrder) -> None:
        self.orders.append(order)
        self.seen.append(len(nodes()))
        self._asked = 0

    def outcome(self, name: str) -> str | None:
        assert name == self.orders[-1].name
        self._asked += 1
        if self._asked < 3:
            return None  # at work
        done = len(self.orders)
        return self._failures[done - 1] if done <= len(self._failures) else ""

    def end(self, name: str) -> None:
        self.ended.append(name)


@pytest.fixture
def ground() -> Iterator[Ground]:
    with local_aws():
        yield lay_ground()


def test_stack_waits_for_the_nodes(ground: Ground) -> None:
    machines = Machines()
    with attach_cluster_driver(runtime(), machines):
        stack = create("top", body(ground.configuration()))
        assert stack["StackStatus"] == "CREATE_COMPLETE"
        (order,) = machines.orders
        assert order.name == "train"
        assert order.log_group_name.startswith("/aws/parallelcluster/train-")
        assert machines.seen == [4], "head, login and two workers are there before"
        queue = order.configuration["Scheduling"]["SlurmQueues"][0]
        assert queue["ComputeResources"][0]["MinCount"] == "2", "as a custom resource gets it"
        delete("top")
    assert machines.ended == ["train"]


def test_failed_custom_action_fails_the_cluster_with_its_message(ground: Ground) -> None:
    words = "fetch_and_run - Failed to execute OnNodeConfigured script 1, return code: 1."
    machines = Machines(words)
    with attach_cluster_driver(runtime(), machines):
        stack = create("top", body(ground.configuration()))
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert words in reason("top", "Cluster", "CREATE_FAILED")
    assert machines.ended == ["train"]
    assert nodes() == []


def test_failed_update_keeps_the_former_configuration(ground: Ground) -> None:
    machines = Machines("", "Update failed")
    with attach_cluster_driver(runtime(), machines):
        create("top", body(ground.configuration()))
        # A change that does not need a stopped fleet.
        more: dict[str, Any] = {"Monitoring": {"Dashboards": {"CloudWatch": {"Enabled": False}}}}
        stack = update("top", body(ground.configuration(**more)))
    assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert "Update failed" in reason("top", "Cluster", "UPDATE_FAILED")
    created, updated, back = machines.orders
    assert "Monitoring" not in created.configuration
    assert updated.configuration["Monitoring"] == {
        "Dashboards": {"CloudWatch": {"Enabled": "false"}}
    }
    assert back.configuration == created.configuration


def test_only_one_driver_can_be_registered(ground: Ground) -> None:
    del ground
    with attach_cluster_driver(runtime(), Machines()):
        with (
            pytest.raises(RuntimeError, match="cluster driver already"),
            attach_cluster_driver(runtime(), Machines()),
        ):
            pass
        assert driver_of(runtime()) is not None
    assert driver_of(runtime()) is None
