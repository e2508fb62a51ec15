"""A cluster of AWS PCS with a driver: states, orders, and instances that the driver asks for."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.pcs.cluster_driver import (
    PcsOrder,
    attach_pcs_driver,
    current_order,
    end_nodes,
    launch_nodes,
    running_instances,
)
from packages.localaws.tests.parts import client
from packages.localaws.tests.pcs_parts import (
    PcsSite,
    build_pcs_site,
    cluster,
    group,
    instances,
    queue,
)


class Machines:
    """A driver without machines, whose work ends when a test completes it."""

    def __init__(self, *, at_once: bool = True) -> None:
        self.at_once = at_once
        self.orders: list[PcsOrder] = []
        self.ended: list[str] = []
        self.work: list[Future[None]] = []

    def apply(self, order: PcsOrder) -> Future[None]:
        self.orders.append(order)
        return self._begin()

    def end(self, cluster_id: str) -> Future[None]:
        self.ended.append(cluster_id)
        return self._begin()

    def complete(self, error: Exception | None = None) -> None:
        work = self.work.pop(0)
        if error is None:
            work.set_result(None)
        else:
            work.set_exception(error)

    def _begin(self) -> Future[None]:
        self.work.append(Future())
        found = self.work[-1]
        if self.at_once:
            self.complete()
        return found


@pytest.fixture
def site() -> Iterator[PcsSite]:
    with local_aws():
        yield build_pcs_site()


def place() -> tuple[str, str]:
    """Return account and region of the local AWS."""
    parts = cluster()["arn"].split(":")
    return parts[4], parts[3]


def test_cluster_is_active_when_the_driver_has_applied_it(site: PcsSite) -> None:
    machines = Machines(at_once=False)
    with attach_pcs_driver(runtime(), machines):
        site.create()
        assert cluster()["status"] == "CREATING"
        (order,) = machines.orders
        assert order.address == order.members["endpoints"][0]["privateIpAddress"]
        assert order.is_up
        machines.complete()
        assert cluster()["status"] == "ACTIVE"


def test_failure_of_the_driver_is_the_failure_of_the_cluster(site: PcsSite) -> None:
    machines = Machines(at_once=False)
    with attach_pcs_driver(runtime(), machines):
        site.create()
        machines.complete(RuntimeError("slurmctld did not start"))
        found = cluster()
    assert found["status"] == "CREATE_FAILED"
    assert found["errorInfo"][0]["message"] == "slurmctld did not start"


def test_group_and_queue_wait_for_the_driver(site: PcsSite) -> None:
    machines = Machines()
    with attach_pcs_driver(runtime(), machines):
        site.create()
        machines.at_once = False
        site.create_group()
        assert group()["status"] == "CREATING"
        (known,) = machines.orders[-1].groups
        assert [one.name for one in known.instances] == ["workers-1", "workers-2"]
        assert [one.number for one in known.instances] == [1, 2]
        assert known.template["UserData"]
        machines.complete()
        assert group()["status"] == "ACTIVE"
        site.create_queue()
        assert queue()["status"] == "CREATING"
        assert [one.name for one in machines.orders[-1].queues] == ["batch"]
        machines.complete(RuntimeError("slurmctld refused"))
        assert queue()["status"] == "CREATE_FAILED"


def test_deleted_group_is_not_in_the_order_and_its_instances_have_ended(site: PcsSite) -> None:
    machines = Machines()
    with attach_pcs_driver(runtime(), machines):
        site.create()
        found = site.create_group()
        machines.at_once = False
        client("pcs").delete_compute_node_group(
            clusterIdentifier="train", computeNodeGroupIdentifier="workers"
        )
        assert group()["status"] == "DELETING"
        assert machines.orders[-1].groups == ()
        assert instances(found["id"]) == []
        machines.complete()
        left = client("pcs").list_compute_node_groups(clusterIdentifier="train")
        assert left["computeNodeGroups"] == []


def test_deleted_cluster_is_ended_before_its_interface_goes(site: PcsSite) -> None:
    machines = Machines()
    with attach_pcs_driver(runtime(), machines):
        identifier = site.create()["id"]
        machines.at_once = False
        client("pcs").delete_cluster(clusterIdentifier="train")
        assert cluster()["status"] == "DELETING"
        assert machines.ended == [identifier]
        machines.complete()
        assert client("pcs").list_clusters()["clusters"] == []


def test_driver_launches_and_ends_instances(site: PcsSite) -> None:
    with attach_pcs_driver(runtime(), Machines()):
        identifier = site.create()["id"]
        found = site.create_group()
        here = (*place(), identifier)
        order = launch_nodes(runtime(), *here, {found["id"]: {2, 4}})
        (known,) = order.groups
        assert [one.number for one in known.instances] == [1, 2, 4], "2 is there already"
        assert len(instances(found["id"])) == 3
        order = end_nodes(runtime(), *here, [known.instances[2].instance_id])
        assert [one.number for one in order.groups[0].instances] == [1, 2]
        assert len(instances(found["id"])) == 2


def test_instance_that_somebody_terminated_is_not_in_the_order(site: PcsSite) -> None:
    with attach_pcs_driver(runtime(), Machines()):
        identifier = site.create()["id"]
        found = site.create_group()
        lost = instances(found["id"])[0]["InstanceId"]
        assert lost in (running_instances(runtime(), *place(), identifier) or ())
        client("ec2").terminate_instances(InstanceIds=[lost])
        order = current_order(runtime(), *place(), identifier)
        others = {one.instance_id for one in order.groups[0].instances}
        assert lost not in others
        assert running_instances(runtime(), *place(), identifier) == others
        with pytest.raises(LookupError, match="pcs_missing"):
            current_order(runtime(), *place(), "pcs_missing")
        with pytest.raises(LookupError, match="no group other"):
            launch_nodes(runtime(), *place(), identifier, {"other": {1}})


def test_suspended_cluster_has_no_controller() -> None:
    with local_aws(suspended_slurm_versions={"24.11": "+1h"}):
        site = build_pcs_site()
        machines = Machines()
        with attach_pcs_driver(runtime(), machines):
            site.create(scheduler={"type": "SLURM", "version": "24.11"})
            machines.at_once = False
            runtime().clock.advance(7200)
            assert cluster()["status"] == "SUSPENDING"
            assert cluster()["status"] == "SUSPENDING"
            assert not machines.orders[-1].is_up
            machines.complete()
            assert cluster()["status"] == "SUSPENDED"
            assert running_instances(runtime(), *place(), cluster()["id"]) is None
            client("pcs").update_cluster(clusterIdentifier="train", scheduler={"version": "25.05"})
            cluster()
            assert machines.orders[-1].is_up
            machines.complete()
            assert cluster()["status"] == "ACTIVE"


def test_only_one_driver_can_be_registered(site: PcsSite) -> None:
    del site
    with (
        attach_pcs_driver(runtime(), Machines()),
        pytest.raises(RuntimeError, match="driver of PCS already"),
        attach_pcs_driver(runtime(), Machines()),
    ):
        pass
