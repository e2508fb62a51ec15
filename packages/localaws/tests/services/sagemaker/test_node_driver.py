"""Nodes with a driver: orders, reports and their effects."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.sagemaker.node_driver import (
    NodeOrder,
    attach_node_driver,
    members,
)
from packages.localaws.tests.parts import Site, client, deploy, describe, group_of, nodes, refusal
from packages.localaws.tests.sagemaker_templates import cluster

CONTINUOUS = {"NodeProvisioningMode": "Continuous"}


class Recorder:
    """Records orders, and reports `verdicts` (by action) from a separate thread."""

    def __init__(self) -> None:
        self.orders: list[NodeOrder] = []
        self.threads: set[int] = set()
        self.verdicts: dict[str, Callable[[NodeOrder], object]] = {
            "create": lambda order: order.report.running(),
            "reboot": lambda order: order.report.running(),
            "replace": lambda order: order.report.running(),
            "update_software": lambda order: order.report.running(),
            "check_health": lambda order: order.report.running(),
            "delete": lambda order: order.report.gone(),
        }

    def take(self, order: NodeOrder) -> None:
        self.orders.append(order)
        self.threads.add(threading.get_ident())
        if order.action in self.verdicts:
            self.verdicts[order.action](order)

    create = reboot = replace = update_software = check_health = delete = take

    def of(self, action: str) -> list[NodeOrder]:
        return [order for order in self.orders if order.action == action]


@pytest.fixture
def driver(aws: Runtime) -> Iterator[Recorder]:
    found = Recorder()
    with attach_node_driver(aws, found):
        yield found


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < deadline, "it did not come to pass in 5 s"
        time.sleep(0.002)


def status_is(status: str, name: str = "train") -> None:
    until(lambda: describe(name)["ClusterStatus"] == status)


def fail_workers(order: NodeOrder) -> None:
    if order.group_name == "workers":
        order.report.failed(f"{order.name} could not mount /fsx")
    else:
        order.report.running()


def test_cluster_is_in_service_after_its_driver_reported_every_node(
    site: Site, driver: Recorder
) -> None:
    del driver.verdicts["create"]
    assert site.create(site.group("workers", 2))["ClusterStatus"] == "Creating"
    until(lambda: len(driver.orders) == 3)
    assert [order.name for order in driver.orders] == ["controller-1", "workers-1", "workers-2"]
    assert {node["InstanceStatus"]["Status"] for node in nodes()} == {"Pending"}
    for order in driver.orders[:2]:
        order.report.running()
    assert describe()["ClusterStatus"] == "Creating"
    assert group_of(describe(), "workers")["CurrentCount"] == 1
    driver.orders[2].report.running()
    assert describe()["ClusterStatus"] == "InService"
    first = driver.orders[0]
    assert first.specification["LifeCycleConfig"]["OnCreate"] == "on_create.sh"
    assert first.request["Orchestrator"] == {"Slurm": {}}
    assert describe()["ClusterArn"].endswith(first.cluster_id)
    assert threading.get_ident() not in driver.threads


def test_a_stack_waits_for_the_minimum_of_a_continuous_cluster(
    site: Site, driver: Recorder
) -> None:
    """The cluster is InService while its compute nodes are Pending."""

    def late(order: NodeOrder) -> None:
        if order.group_name == "workers":
            status_is("InService")
            assert group_of(describe(), "workers")["CurrentCount"] == 0
        order.report.running()

    driver.verdicts["create"] = late
    stack = deploy("s", cluster(site, site.group("workers", 1, MinInstanceCount=1), **CONTINUOUS))
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    assert group_of(describe(), "workers")["CurrentCount"] == 1


def test_driver_receives_the_members_that_the_api_lists(
    site: Site, driver: Recorder, aws: Runtime
) -> None:
    site.create(site.group("workers", 2))
    status_is("InService")
    found = members(aws, describe()["ClusterArn"])
    assert [m.instance_id for m in found] == [n["InstanceId"] for n in nodes(SortBy="NAME")]
    assert {m.status for m in found} == {"Running"}
    assert len({m.address for m in found}) == 3


def test_a_slow_driver_does_not_block_the_api(site: Site, driver: Recorder) -> None:
    go = threading.Event()
    driver.verdicts["create"] = lambda order: go.wait(60) and order.report.running()
    started = time.monotonic()
    site.create(site.group("workers", 2))
    for _ in range(20):
        describe()
    assert time.monotonic() - started < 40
    assert describe()["ClusterStatus"] == "Creating"
    go.set()
    status_is("InService")


def test_a_lifecycle_failure_rolls_a_creation_back(site: Site, driver: Recorder) -> None:
    before = site.free_addresses()
    driver.verdicts["create"] = fail_workers
    del driver.verdicts["delete"]
    site.create(site.group("workers", 2))
    status_is("RollingBack")
    until(lambda: len(driver.of("delete")) == 3)
    assert describe()["FailureMessage"] == "workers-1 could not mount /fsx"
    assert site.free_addresses() < before
    for order in driver.of("delete"):
        assert order.report.gone()
    status_is("Failed")
    assert describe()["FailureMessage"] == "workers-1 could not mount /fsx"
    assert nodes() == []
    assert site.free_addresses() == before
    client("sagemaker").delete_cluster(ClusterName="train")
    assert refusal(describe)[0] == "ResourceNotFound"


def test_one_failure_is_sufficient_while_others_run(site: Site, driver: Recorder) -> None:
    driver.verdicts["create"] = lambda order: order.number == 2 and order.report.failed("broken")
    site.create(site.group("workers", 3))
    status_is("Failed")
    assert describe()["FailureMessage"] == "broken"


def test_continuous_cluster_stays_in_service_and_reports_the_failure(
    site: Site, driver: Recorder
) -> None:
    driver.verdicts["create"] = fail_workers
    site.create(site.group("workers", 2), **CONTINUOUS)
    status_is("InService")
    until(
        lambda: (
            [n["InstanceStatus"]["Status"] for n in nodes(InstanceGroupNameContains="work")]
            == ["Failure", "Failure"]
        )
    )
    shown = nodes(InstanceGroupNameContains="workers", SortBy="NAME")[0]["InstanceStatus"]
    assert shown["Message"] == "workers-1 could not mount /fsx"
    events = client("sagemaker").list_cluster_events(
        ClusterName="train", InstanceGroupName="workers", ResourceType="Instance"
    )["Events"]
    assert any(event["EventLevel"] == "Error" for event in events)


def test_continuous_cluster_fails_with_its_controller(site: Site, driver: Recorder) -> None:
    driver.verdicts["create"] = lambda order: (
        order.group_name == "controller" and (order.report.failed("slurmctld did not start"))
    )
    site.create(site.group("workers", 1), **CONTINUOUS)
    status_is("Failed")
    assert describe()["FailureMessage"] == "slurmctld did not start"


def test_failed_running_node_is_replaced(site: Site, driver: Recorder) -> None:
    site.create(site.group("workers", 1))
    status_is("InService")
    node = nodes(InstanceGroupNameContains="workers")[0]
    order = next(o for o in driver.of("create") if o.instance_id == node["InstanceId"])
    assert order.report.failed("the GPU fell off the bus")
    until(lambda: len(driver.of("replace")) == 1)
    again = driver.of("replace")[0]
    assert again.previous_instance_id == node["InstanceId"]
    assert again.address == order.address
    until(lambda: {n["InstanceStatus"]["Status"] for n in nodes()} == {"Running"})
    now = nodes(InstanceGroupNameContains="workers")[0]
    assert now["NodeLogicalId"] == node["NodeLogicalId"]
    assert now["InstanceId"] == again.instance_id != node["InstanceId"]
    # Reports of the replaced instance are ignored.
    assert not order.report.running()
    assert not order.report.failed("late")


def test_failed_node_is_kept_without_node_recovery(site: Site, driver: Recorder) -> None:
    site.create(site.group("workers", 1), NodeRecovery="None")
    status_is("InService")
    driver.of("create")[1].report.failed("the GPU fell off the bus")
    shown = nodes(InstanceGroupNameContains="workers")[0]["InstanceStatus"]
    assert shown == {"Status": "Failure", "Message": "the GPU fell off the bus"}
    assert driver.of("replace") == []


def test_batch_operations_reach_the_driver(site: Site, driver: Recorder) -> None:
    sagemaker = client("sagemaker")
    site.create(site.group("workers", 2), **CONTINUOUS)
    status_is("InService")
    until(lambda: {n["InstanceStatus"]["Status"] for n in nodes()} == {"Running"})
    first, second = (n["InstanceId"] for n in nodes(InstanceGroupNameContains="workers"))
    del driver.verdicts["reboot"]
    sagemaker.batch_reboot_cluster_nodes(ClusterName="train", NodeIds=[first])
    until(lambda: len(driver.of("reboot")) == 1)
    assert driver.of("reboot")[0].instance_id == first
    shown = sagemaker.describe_cluster_node(ClusterName="train", NodeId=first)["NodeDetails"]
    assert shown["InstanceStatus"]["Status"] == "Pending"
    driver.of("reboot")[0].report.running()
    sagemaker.batch_delete_cluster_nodes(ClusterName="train", NodeIds=[second])
    until(lambda: len(driver.of("delete")) == 1)
    until(lambda: [n["InstanceId"] for n in nodes(InstanceGroupNameContains="work")] == [first])


def test_software_updates_and_health_checks_reach_the_driver(site: Site, driver: Recorder) -> None:
    sagemaker = client("sagemaker")
    site.create(site.group("workers", 1))
    status_is("InService")
    del driver.verdicts["update_software"], driver.verdicts["check_health"]
    sagemaker.update_cluster_software(
        ClusterName="train",
        InstanceGroups=[{"InstanceGroupName": "workers", "ImageReleaseVersion": "1.2.3"}],
    )
    until(lambda: len(driver.of("update_software")) == 1)
    assert describe()["ClusterStatus"] == "SystemUpdating"
    assert driver.of("update_software")[0].image_release == "1.2.3"
    driver.of("update_software")[0].report.running()
    assert describe()["ClusterStatus"] == "InService"
    assert nodes(InstanceGroupNameContains="work")[0]["CurrentImageReleaseVersion"] == "1.2.3"
    sagemaker.start_cluster_health_check(
        ClusterName="train",
        DeepHealthCheckConfigurations=[
            {"InstanceGroupName": "workers", "DeepHealthChecks": ["InstanceStress"]}
        ],
    )
    until(lambda: len(driver.of("check_health")) == 1)
    order = driver.of("check_health")[0]
    assert order.checks == ("InstanceStress",)
    shown = nodes(InstanceGroupNameContains="work")[0]["InstanceStatus"]["Status"]
    assert shown == "DeepHealthCheckInProgress"
    order.report.running()
    assert nodes(InstanceGroupNameContains="work")[0]["InstanceStatus"]["Status"] == "Running"


def test_a_deleted_group_releases_its_addresses(site: Site, driver: Recorder) -> None:
    site.create(site.group("workers", 2))
    status_is("InService")
    before = site.free_addresses()
    del driver.verdicts["delete"]
    client("sagemaker").update_cluster(ClusterName="train", InstanceGroupsToDelete=["workers"])
    until(lambda: len(driver.of("delete")) == 2)
    assert group_of(describe(), "workers")["Status"] == "Deleting"
    assert site.free_addresses() == before
    for order in driver.of("delete"):
        assert order.report.gone()
    assert [g["InstanceGroupName"] for g in describe()["InstanceGroups"]] == ["controller"]
    assert site.free_addresses() > before


def test_failed_update_is_rolled_back(site: Site, driver: Recorder) -> None:
    site.create(site.group("workers", 1))
    status_is("InService")
    driver.verdicts["create"] = lambda order: order.report.failed("no")
    request = site.request(site.group("workers", 3))
    client("sagemaker").update_cluster(
        ClusterName="train", InstanceGroups=request["InstanceGroups"]
    )
    until(lambda: describe().get("FailureMessage") == "no")
    status_is("InService")
    until(lambda: len(nodes(InstanceGroupNameContains="work")) == 1)
    assert group_of(describe(), "workers")["TargetCount"] == 1


def test_exception_in_the_driver_fails_its_node(
    site: Site, driver: Recorder, capsys: pytest.CaptureFixture[str]
) -> None:
    driver.verdicts["create"] = lambda order: 1 / 0
    site.create(site.group("workers", 1))
    status_is("Failed")
    assert "ZeroDivisionError" in describe()["FailureMessage"]
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_deletion_waits_for_the_driver(site: Site, driver: Recorder) -> None:
    site.create(site.group("workers", 1))
    status_is("InService")
    del driver.verdicts["delete"]
    client("sagemaker").delete_cluster(ClusterName="train")
    until(lambda: len(driver.of("delete")) == 2)
    assert describe()["ClusterStatus"] == "Deleting"
    for order in driver.of("delete"):
        order.report.gone()
    assert refusal(describe)[0] == "ResourceNotFound"
    assert not driver.of("create")[0].report.running()


def test_one_driver_can_be_registered_per_block(site: Site, aws: Runtime) -> None:
    first = Recorder()
    with attach_node_driver(aws, first):
        with pytest.raises(RuntimeError), attach_node_driver(aws, Recorder()):
            pass
        site.create(site.group("workers", 1))
        status_is("InService")
    client("sagemaker").delete_cluster(ClusterName="train")
    assert refusal(describe)[0] == "ResourceNotFound"
    assert site.create(site.group("workers", 1))["ClusterStatus"] == "InService"
    assert len(first.of("create")) == 2


def test_two_local_aws_have_two_drivers() -> None:
    with local_aws() as outer, attach_node_driver(outer, Recorder()):
        pass
    with local_aws() as other, attach_node_driver(other, Recorder()):
        pass


class TestRecovery:
    """What the agent on a node asks for."""

    def running(self, site: Site, driver: Recorder, **more: str) -> NodeOrder:
        site.create(site.group("workers", 1), **more)
        status_is("InService")
        return next(order for order in driver.of("create") if order.group_name == "workers")

    @pytest.mark.parametrize("action", ["reboot", "replace"])
    def test_running_node_is_recovered(self, site: Site, driver: Recorder, action: str) -> None:
        worker = self.running(site, driver)
        assert worker.report.recover(action)  # type: ignore[arg-type]
        until(lambda: len(driver.of(action)) == 1)
        (order,) = driver.of(action)
        assert order.logical_id == worker.logical_id
        assert (order.instance_id == worker.instance_id) == (action == "reboot")

    def test_without_automatic_recovery_nothing_happens(
        self, site: Site, driver: Recorder
    ) -> None:
        worker = self.running(site, driver, NodeRecovery="None")
        assert not worker.report.recover("replace")
        assert driver.of("replace") == []

    def test_node_that_is_not_running_is_not_recovered_again(
        self, site: Site, driver: Recorder
    ) -> None:
        worker = self.running(site, driver)
        del driver.verdicts["reboot"]
        assert worker.report.recover("reboot")
        assert not worker.report.recover("reboot")
