"""The driver of AWS PCS behind the real API of the local AWS, with machines that do not boot."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import boto3
import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.drivers import attach_pcs_driver
from clusterwright_rehearsal.platforms.pcs import driver as module
from clusterwright_rehearsal.platforms.pcs.driver import Pcs
from clusterwright_rehearsal.platforms.pcs.settings import Settings
from packages.localaws.tests.parts import REGION, client
from packages.localaws.tests.pcs_parts import PcsSite, build_pcs_site, cluster, group
from packages.rehearsal.tests.platforms.fake_machine import FakeMachine

_WAIT_S = 60.0


class Machine(FakeMachine):
    """A machine that is up from its boot to its end, and whose slurmd registers at once."""

    def __init__(self, name: str) -> None:
        super().__init__(name, up=False)
        self.looks = 0
        self.asked: dict[str, str] = {}

    def boot(self) -> None:
        super().boot()
        self.up = True

    def crash(self) -> None:
        super().crash()
        self.up = False

    def remove(self) -> None:
        super().remove()
        self.up = False

    def stop(self) -> None:
        super().stop()
        self.up = False

    def run(self, command: str | Sequence[str], **more: Any) -> Any:
        if str(command).startswith("scontrol --oneliner show node"):
            # A slurmd has started since the look before.
            self.looks += 1
            self.answers["scontrol --oneliner show node"] = (0, f"SlurmdStartTime={self.looks}")
        for request, names in list(self.asked.items()):
            if isinstance(command, str) and command.startswith(f"for file in /run/pcs/{request}."):
                del self.asked[request]
                self.answers[command] = (0, names)
                found = super().run(command, **more)
                del self.answers[command]
                return found
        return super().run(command, **more)


class InProcess:
    """Clients of the local AWS in this process, as `AwsClients` has them of its server."""

    def __init__(self, *_: str) -> None:
        pass

    def client(self, service: str) -> Any:
        return client(service)

    def client_of_session(self, service: str, role_arn: str, session: str) -> Any:
        found = client("sts").assume_role(RoleArn=role_arn, RoleSessionName=session)
        keys = found["Credentials"]
        return boto3.Session(
            keys["AccessKeyId"], keys["SecretAccessKey"], keys["SessionToken"], REGION
        ).client(service)


class Place:
    """A cluster whose group has one static node."""

    def __init__(self, site: PcsSite, driver: Pcs, machines: dict[str, Machine]) -> None:
        self.site = site
        self.driver = driver
        self.machines = machines

    def until(self, what: Callable[[], bool]) -> None:
        ends = time.monotonic() + _WAIT_S
        while not what():
            assert time.monotonic() < ends, [
                (node.order.name, node.phase) for node in self.driver.nodes()
            ]
            time.sleep(0.05)

    def is_running(self, name: str, *, but: str = "") -> bool:
        node = self.driver.node(name)
        return node is not None and node.phase == "running" and node.order.instance_id != but


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    monkeypatch.setattr(module, "_EVERY_S", 0.05)
    machines: dict[str, Machine] = {}
    lock = threading.Lock()

    def machine(name: str, *_: Any) -> Machine:
        with lock:
            machines[name] = Machine(name)
            return machines[name]

    monkeypatch.setattr(module, "AwsClients", InProcess)
    with local_aws() as runtime:
        vpc = Mock(folder=tmp_path, endpoint="http://10.0.0.1", resolver_address="10.0.0.2")
        vpc.machine.side_effect = machine
        driver = Pcs(runtime, "", vpc, Settings(detection_s=0.0), lambda *_, **__: None)
        with attach_pcs_driver(runtime, driver):
            site = build_pcs_site()
            client("ec2").authorize_security_group_ingress(
                GroupId=site.site.group_id,
                IpPermissions=[
                    {
                        "IpProtocol": "-1",
                        "UserIdGroupPairs": [{"GroupId": site.site.group_id}],
                    }
                ],
            )
            found = Place(site, driver, machines)
            site.create()
            found.until(lambda: cluster()["status"] == "ACTIVE")
            one = {"minInstanceCount": 1, "maxInstanceCount": 2}
            site.create_group(scalingConfiguration=one)
            found.until(lambda: group()["status"] == "ACTIVE")
            yield found
        driver.close()


def test_instance_registers_with_its_role_and_starts_slurmd(place: Place) -> None:
    place.until(lambda: place.is_running("workers-1"))
    machine = place.machines["workers-1"]
    assert "-N workers-1 --conf-server " in str(machine.files["/etc/default/slurmd"])
    key = machine.files["/opt/aws/pcs/scheduler/slurm-25.11/etc/slurm.key"]
    assert key == place.machines["pcs-train"].files["/opt/slurm/etc/slurm.key"]


def test_lost_instance_is_replaced_by_another(place: Place) -> None:
    place.until(lambda: place.is_running("workers-1"))
    node = place.driver.node("workers-1")
    assert node is not None
    before = node.order.instance_id
    place.machines["workers-1"].crash()
    place.until(lambda: place.is_running("workers-1", but=before))
    state = client("ec2").describe_instances(InstanceIds=[before])["Reservations"][0]
    assert state["Instances"][0]["State"]["Name"] == "terminated"


def test_instance_terminated_by_somebody_is_replaced(place: Place) -> None:
    place.until(lambda: place.is_running("workers-1"))
    node = place.driver.node("workers-1")
    assert node is not None
    before = node.order.instance_id
    client("ec2").terminate_instances(InstanceIds=[before])
    place.until(lambda: place.is_running("workers-1", but=before))


def test_slurm_gets_an_instance_for_a_job_and_returns_it(place: Place) -> None:
    place.until(lambda: place.is_running("workers-1"))
    controller = place.machines["pcs-train"]
    controller.asked["resume"] = "workers-2\n"
    place.until(lambda: place.is_running("workers-2"))
    controller.asked["suspend"] = "workers-2\n"
    place.until(lambda: place.driver.node("workers-2") is None)
    assert place.is_running("workers-1")


def test_missing_rule_of_the_security_group_keeps_an_instance_out(place: Place) -> None:
    place.until(lambda: place.is_running("workers-1"))
    group_id = place.site.site.group_id
    rule = {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group_id}]}
    client("ec2").revoke_security_group_ingress(GroupId=group_id, IpPermissions=[rule])
    place.machines["workers-1"].crash()

    def has_failed() -> bool:
        node = place.driver.node("workers-1")
        return node is not None and node.phase == "failed"

    place.until(has_failed)


def test_deleted_cluster_has_no_machines(place: Place) -> None:
    place.until(lambda: place.is_running("workers-1"))
    pcs = client("pcs")
    pcs.delete_compute_node_group(clusterIdentifier="train", computeNodeGroupIdentifier="workers")
    place.until(
        lambda: not pcs.list_compute_node_groups(clusterIdentifier="train")["computeNodeGroups"]
    )
    pcs.delete_cluster(clusterIdentifier="train")
    place.until(lambda: not pcs.list_clusters()["clusters"])
    assert not place.machines["pcs-train"].up
    assert place.driver.nodes() == []
