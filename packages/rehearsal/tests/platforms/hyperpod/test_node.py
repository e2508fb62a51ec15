"""A HyperPod node: its files, mounts and lifecycle script."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clusterwright_localaws.drivers import LIFECYCLE_FAILED
from clusterwright_rehearsal.platforms.hyperpod.node import (
    RESOURCE_CONFIG,
    SCRIPTS,
    HyperPodNode,
    LifecycleFailed,
    resource_config,
)
from packages.rehearsal.tests.platforms.fake_machine import FakeMachine
from packages.rehearsal.tests.platforms.hyperpod.orders import ARN, member, order, specification


def node(machine: FakeMachine, **more: Any) -> HyperPodNode:
    return HyperPodNode(machine, order(**more), Path("/run"))  # type: ignore[arg-type]


def test_role_and_type() -> None:
    found = node(FakeMachine())
    assert (found.role, found.instance_type) == ("Compute", "p5.48xlarge")
    scripted = {"InstanceGroupName": "workers", "ExecutionRole": "r"}
    assert node(FakeMachine(), specification=scripted).role is None


def test_every_node_is_listed_by_group() -> None:
    found = json.loads(resource_config(order(), [member(5, "controller"), member(6), member(7)]))
    assert found["ClusterConfig"] == {"ClusterArn": ARN, "ClusterName": "train"}
    groups = {group["Name"]: group for group in found["InstanceGroups"]}
    assert list(groups) == ["controller", "workers"]
    instances = groups["workers"]["Instances"]
    assert [each["InstanceName"] for each in instances] == ["workers-6", "workers-7"]
    assert instances[0]["CustomerIpAddress"] == instances[0]["AgentIpAddress"] == "10.0.0.6"
    assert groups["workers"]["InstanceType"] == "ml.p5.48xlarge"


def test_the_first_files_have_the_cluster() -> None:
    machine = FakeMachine()
    node(machine).prepare([member(5)], "http://10.0.0.1", "10.0.0.1")
    assert "workers-5" in str(machine.files[RESOURCE_CONFIG])
    assert "search ec2.internal" in str(machine.files["/etc/resolv.conf"])


class TestMounts:
    STORAGE = (
        {"FsxLustreConfig": {"DnsName": "fs-1.fsx", "MountName": "abc", "MountPath": "/data"}},
        {"FsxOpenZfsConfig": {"DnsName": "fs-2.fsx"}},
    )

    def test_file_systems_of_the_group_are_in_fstab_and_mounted(self) -> None:
        machine = FakeMachine()
        node(
            machine, specification=specification(InstanceStorageConfigs=self.STORAGE)
        ).mount_file_systems()
        assert machine.files["/etc/fstab"] == (
            "fs-1.fsx@tcp:/abc /data lustre noatime,flock,_netdev 0 0\n"
            "fs-2.fsx:/fsx /home nfs4 nfsvers=4.2,_netdev 0 0\n"
        )
        assert [command.split()[2] for command in machine.commands[:2]] == ["/data", "/home"]
        assert machine.commands[-1] == "systemctl daemon-reload"

    def test_a_group_without_storage_mounts_nothing(self) -> None:
        machine = FakeMachine()
        node(machine).mount_file_systems()
        assert (machine.files, machine.commands) == ({}, [])

    def test_a_failed_mount_is_tried_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        machine = FakeMachine(answers={"mkdir -p /data": (32, "no")})
        waits: list[float] = []

        def sleep(seconds: float) -> None:
            waits.append(seconds)
            if len(waits) == 2:
                machine.answers.clear()

        monkeypatch.setattr("clusterwright_rehearsal.platforms.hyperpod.node.time.sleep", sleep)
        node(machine)._retry_mounts(["/data"])
        assert len(waits) == 2
        assert len(machine.commands) == 2


class TestScripts:
    def test_they_replace_the_former_ones(self) -> None:
        machine = FakeMachine()
        node(machine).place_scripts({"on_create.sh": b"#", "lib/a.py": b"x"}, "on_create.sh")
        assert machine.commands == [f"rm -rf {SCRIPTS}", f"chmod 755 {SCRIPTS}/on_create.sh"]
        assert machine.files == {f"{SCRIPTS}/on_create.sh": b"#", f"{SCRIPTS}/lib/a.py": b"x"}

    def test_the_entry_script_must_be_there(self) -> None:
        with pytest.raises(LifecycleFailed, match=r"There is no on_create\.sh"):
            node(FakeMachine()).place_scripts({"other": b""}, "on_create.sh")

    def run(self, lines: list[str], code: int) -> tuple[HyperPodNode, list[str], FakeMachine]:
        machine: Any = FakeMachine()
        started: dict[str, Any] = {}

        def start(command: str, **more: Any) -> Any:
            started.update(command=command, **more)
            return SimpleNamespace(stdout=[f"{line}\n" for line in lines], wait=lambda: code)

        machine.start, written = start, []
        found = node(machine)
        try:
            found.run_script("on_create.sh", SimpleNamespace(write=written.append))  # type: ignore[arg-type]
        finally:
            self.started = started
        return found, written, machine

    def test_every_line_is_logged(self) -> None:
        found, written, _ = self.run(["first", "", "last"], 0)
        assert written == ["first", "", "last"]
        assert "lifecycle" in found.timings
        assert self.started["command"] == f"cd {SCRIPTS} && exec ./on_create.sh"
        assert self.started["environment"] == {"SAGEMAKER_RESOURCE_CONFIG_PATH": RESOURCE_CONFIG}

    def test_a_failure_shows_the_last_line_with_text(self) -> None:
        with pytest.raises(LifecycleFailed) as caught:
            self.run(["step x failed", ""], 3)
        assert caught.value.message == (
            f"{LIFECYCLE_FAILED} Exit code 3, last line: step x failed"
        )
