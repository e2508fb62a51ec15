"""A node as scenarios use it."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from clusterwright_rehearsal.nodes.machines import CommandResult, MachineDown
from clusterwright_rehearsal.scenario_api import node as module
from clusterwright_rehearsal.scenario_api.node import Node, ProgramRun
from clusterwright_rehearsal.scenario_api.outcomes import Broken
from packages.rehearsal.tests.platforms.fake_machine import FakeMachine

FACTS = {
    "name": "workers-1",
    "host": "ip-10-0-0-5",
    "group": "workers",
    "role": "compute",
    "address": "10.0.0.5",
}


class Cluster:
    program = "run-it"

    def __init__(self, machine: Any) -> None:
        self._machine = machine
        self.instance = "i-1"

    def facts(self, name: str) -> dict[str, Any]:
        assert name == "workers-1"
        return {**FACTS, "instance_id": self.instance}

    def machine(self, host: str, address: str) -> Any:
        assert (host, address) == ("ip-10-0-0-5", "10.0.0.5")
        return self._machine

    def slurm(self, command: str) -> str:
        assert command == "sinfo -h -n ip-10-0-0-5 -o %T"
        return "IDLE+DRAIN \nother\n"


def node(machine: Any = None) -> tuple[Node, Any, Cluster]:
    machine = machine or FakeMachine()
    cluster = Cluster(machine)
    return Node(cluster, FACTS), machine, cluster


def test_a_node_is_its_place_and_not_its_instance() -> None:
    found, _, cluster = node()
    assert (repr(found), found.group, found.role) == ("workers-1", "workers", "compute")
    assert found.instance_id == "i-1"
    cluster.instance = "i-2"
    assert found.instance_id == "i-2"
    assert found.slurm_state() == "idle+drain"


def test_commands() -> None:
    found, machine, _ = node(FakeMachine(answers={"ls": (0, "a\n"), "false": (3, "no")}))
    assert found.must("ls") == "a\n"
    assert found.run("false").returncode == 3
    with pytest.raises(Broken, match="on workers-1, `false` exited with 3: no"):
        found.must("false")
    found.write("/etc/a", "x", mode=0o600)
    assert (machine.files["/etc/a"], machine.modes["/etc/a"]) == ("x", 0o600)


def test_a_node_that_is_down_breaks_the_promise() -> None:
    machine: Any = FakeMachine(up=False)

    def down(*_: Any, **__: Any) -> None:
        raise MachineDown("ip-10-0-0-5 is not running")

    machine.run = machine.start = down
    found, _, _ = node(machine)
    assert not found.is_up
    with pytest.raises(Broken, match="ip-10-0-0-5 is not running"):
        found.run("true")
    with pytest.raises(Broken, match="is not running"):
        found.kill_program_at("lustre")


def test_faults_are_files() -> None:
    found, machine, _ = node()
    found.put_fault("gpu-lost", "3")
    found.remove_fault("gpu-lost")
    assert machine.files == {"/run/emulation/faults/gpu-lost": "3\n"}
    assert machine.commands == [
        "mkdir -p /run/emulation/faults",
        "rm -f /run/emulation/faults/gpu-lost",
    ]


def test_the_program_is_run_again() -> None:
    machine: Any = FakeMachine()
    machine.run = lambda command, **_: CommandResult(2, f"{command}\n", "err", 1.5)
    found, _, _ = node(machine)
    assert found.run_program() == ProgramRun(2, "run-it\n", "err", 1.5)


class TestKill:
    def kill(self, monkeypatch: pytest.MonkeyPatch, *lines: str) -> tuple[bool, int]:
        killed: list[Any] = []
        process = SimpleNamespace(stdout=list(lines), wait=lambda: 0)
        machine: Any = FakeMachine()
        machine.start = lambda *_, **__: process
        monkeypatch.setattr(module, "kill_group", killed.append)
        return node(machine)[0].kill_program_at("lustre"), len(killed)

    def line(self, step: str, event: str = "start") -> str:
        return json.dumps({"event": event, "step": step}) + "\n"

    def test_at_the_start_of_the_step(self, monkeypatch: pytest.MonkeyPatch) -> None:
        lines = ("text\n", "[1]\n", self.line("identify"), self.line("lustre"))
        assert self.kill(monkeypatch, *lines) == (True, 1)

    def test_a_step_that_is_not_reached(self, monkeypatch: pytest.MonkeyPatch) -> None:
        lines = (self.line("identify"), self.line("lustre", "end"))
        assert self.kill(monkeypatch, *lines) == (False, 0)


def test_the_program_is_killed_at_each_step() -> None:
    machine: Any = FakeMachine()
    ran: list[tuple[str, dict[str, Any]]] = []

    def run(command: str, **options: Any) -> CommandResult:
        ran.append((command, options))
        return CommandResult(0, '[["lustre", "no mount"]]\n', "", 1.5)

    machine.run = run
    found, _, _ = node(machine)
    options = ["--configuration", "managed"]
    missed = found.kill_program_at_each(["home", "lustre"], folder="/opt/a b", options=options)
    assert missed == ["lustre (no mount)"]
    ((command, more),) = ran
    assert command == (
        "cd '/opt/a b' && exec python3 - '[\"home\", \"lustre\"]' --configuration managed"
    )
    assert "os.killpg" in more["stdin"]


def test_events_and_statuses_of_a_run() -> None:
    lines = [
        '{"event": "start", "step": "a"}',
        '{"event": "end", "step": "a", "status": "applied"}',
        "plain text",
        "[1]",
        '{"event": "end", "step": "b", "status": "failed"}',
        "b failed: mount it",
    ]
    run = ProgramRun(1, "\n".join(lines) + "\n", "", 1.0)
    assert len(run.events) == 3
    assert run.statuses == {"a": "applied", "b": "failed"}
    assert run.last_line == "b failed: mount it"
    assert ProgramRun(0, "", "", 1.0).last_line == ""
