"""What nodes of every platform have in common."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.nodes.platform_node import PlatformNode, domain_of, until
from packages.rehearsal.tests.platforms.fake_machine import FakeMachine


def node(machine: FakeMachine) -> PlatformNode:
    order = SimpleNamespace(instance_type="ml.p5.48xlarge", instance_id="i-1", address="10.0.0.5")
    return PlatformNode(machine, order, Path("/run"))  # type: ignore[arg-type]


def test_files_before_the_first_boot() -> None:
    machine = FakeMachine()
    node(machine).write_first_files(
        "eu-west-1", "http://10.0.0.1", "10.0.0.1", {"/etc/own": "x"}, {"head": "10.0.0.9"}
    )
    files = machine.files
    assert files["/etc/hosts"] == ("127.0.0.1 localhost\n10.0.0.5 ip-10-0-0-5\n10.0.0.9 head\n")
    assert "search eu-west-1.compute.internal\n" in str(files["/etc/resolv.conf"])
    hardware = json.loads(str(files["/etc/emulation/hardware.json"]))
    assert (hardware["instance_id"], hardware["accelerator"]["count"]) == ("i-1", 8)
    assert files["/etc/own"] == "x"
    assert machine.environment == {"AWS_ENDPOINT_URL": "http://10.0.0.1"}


def test_munge_has_its_key_before_it_starts() -> None:
    machine = FakeMachine()
    node(machine).start_munge(b"key")
    assert machine.files["/etc/munge/munge.key"] == b"key"
    assert machine.modes["/etc/munge/munge.key"] == 0o400
    assert machine.commands[0].endswith("systemctl enable -q --now munge")


def test_a_command_must_succeed() -> None:
    machine = FakeMachine(answers={"ls": (0, "a\n"), "false": (3, "no")})
    assert node(machine).must("ls") == "a\n"
    with pytest.raises(RehearsalError) as caught:
        node(machine).must("false")
    assert caught.value.message == "ip-10-0-0-5: `false` exited with 3: no"


@pytest.mark.parametrize(
    ("region", "domain"),
    [("us-east-1", "ec2.internal"), ("eu-west-1", "eu-west-1.compute.internal")],
)
def test_domains(region: str, domain: str) -> None:
    assert domain_of(region) == domain


def test_a_loop_ends_when_its_command_succeeds(tmp_path: Path) -> None:
    count = tmp_path / "count"
    count.write_text("")
    command = f"sh -c 'echo x >>{count}; test $(wc -l <{count}) -ge 2'"
    subprocess.run(["bash", "-c", until(command)], check=True, timeout=30)
    assert count.read_text() == "x\n" * 3  # once more, to show its output
