"""A node of AWS PCS: its disk, its Slurm, its user data."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.platforms.pcs.node import PcsNode
from packages.rehearsal.tests.platforms.fake_machine import FakeMachine
from packages.rehearsal.tests.platforms.pcs.orders import member


def node(folder: Path, machine: FakeMachine, user_data: str = "") -> PcsNode:
    return PcsNode(machine, member(user_data=user_data), folder)  # type: ignore[arg-type]


def test_cloud_init_has_written_the_instances_id(tmp_path: Path) -> None:
    machine = FakeMachine("workers-1")
    node(tmp_path, machine).prepare("us-east-1", "http://10.0.0.1", "10.0.0.1")
    assert machine.files["/var/lib/cloud/data/instance-id"] == "i-workers1\n"
    assert machine.environment == {"AWS_ENDPOINT_URL": "http://10.0.0.1"}


def test_slurm_is_in_the_folder_of_its_version(tmp_path: Path) -> None:
    machine = FakeMachine("workers-1")
    node(tmp_path, machine).move_slurm("25.11")
    assert "cp -a /opt/slurm /opt/aws/pcs/scheduler/slurm-25.11" in machine.commands[0]


def test_user_data_is_run_and_a_failure_is_told(tmp_path: Path) -> None:
    path = "/var/lib/cloud/instance/scripts/part-001"
    machine = FakeMachine("workers-1", {path: (3, "no disk")})
    with pytest.raises(RehearsalError, match="user data: script 1 exited with 3: no disk"):
        node(tmp_path, machine, "#!/bin/sh\nexit 3\n").run_user_data()
    assert machine.modes[path] == 0o700
    quiet = FakeMachine("workers-1")
    node(tmp_path, quiet).run_user_data()
    assert quiet.commands == []
