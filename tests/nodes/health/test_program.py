"""Findings drain the node, and two runs without findings resume it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from clusterwright_common import xid
from clusterwright_common.probe import Probe
from clusterwright_health import checks, program
from clusterwright_health.expected import FILE, Expected, NoExpectation, read_expected
from clusterwright_health.finding import REMEDIES

from tests.nodes.health.fake_node import HEALTHY, NODE, Machine


def test_healthy_node_is_not_changed(machine: Machine) -> None:
    for mode in program.MODES:
        assert machine.look(mode) == 0
    assert machine.updates == []
    assert machine.events == []


def test_finding_drains_the_node_and_requeues_the_job_of_a_prolog(machine: Machine) -> None:
    machine.efa(1, "1: DOWN")
    assert machine.look("prolog") == 1
    assert machine.updates == [
        f"update NodeName={NODE} State=DRAIN Reason=clusterwright: efa: rdmap1s0 not active"
    ]
    assert machine.look("epilog") == 0
    assert len(machine.updates) == 1  # reported once


def test_node_name_of_slurm_takes_precedence(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLURMD_NODENAME", "workers-7")
    machine.efa(1, "1: DOWN")
    machine.look()
    assert machine.updates[0].startswith("update NodeName=workers-7 State=DRAIN")


def test_the_most_severe_finding_is_the_reason(machine: Machine) -> None:
    machine.efa(1, "1: DOWN")
    machine.gpus("\n".join(HEALTHY.splitlines()[:6]))
    machine.look()
    (update,) = machine.updates
    assert "gpu: 6 of 8 GPUs (replace); 1 more in /var/log" in update
    (event,) = machine.events
    assert event["findings"] == ["gpu: 6 of 8 GPUs (replace)", "efa: rdmap1s0 not active"]


def test_node_is_resumed_after_two_runs_without_findings(machine: Machine) -> None:
    machine.efa(1, "1: DOWN")
    machine.look()
    machine.efa(1, "4: ACTIVE")
    machine.look()
    assert len(machine.updates) == 1
    machine.efa(1, "1: DOWN")
    machine.look()
    machine.efa(1, "4: ACTIVE")
    machine.look()
    assert len(machine.updates) == 1
    machine.look("prolog")  # the check of a job is not a periodic one
    machine.look()
    assert machine.updates[1:] == [f"update NodeName={NODE} State=RESUME"]
    machine.look()
    assert len(machine.updates) == 2


@pytest.mark.parametrize("reason", ["maintenance by ada", "Prolog error", ""])
def test_a_node_that_an_administrator_drained_is_not_resumed(
    machine: Machine, reason: str
) -> None:
    machine.drained(reason)
    for _ in range(3):
        machine.look()
    machine.efa(1, "1: DOWN")
    machine.look()
    assert machine.updates == []


def test_a_node_that_is_down_is_not_changed(machine: Machine) -> None:
    machine.slurm.write_text("State=DOWN* Reason=Not responding [slurm@2026-11-21T03:00:00]\n")
    machine.efa(1, "1: DOWN")
    machine.look()
    assert machine.updates == []


def test_finding_is_logged_and_the_job_requeued_without_slurmctld(
    machine: Machine,
) -> None:
    machine.command("scontrol", "echo 'Unable to contact slurm controller' >&2; exit 1")
    machine.efa(1, "1: DOWN")
    assert machine.look("prolog") == 1
    (event,) = machine.events
    assert event["error"] == "slurmctld does not respond"


@pytest.mark.parametrize("text", [None, "", "[]", '{"slurm_name": "x"}', "{"])
def test_missing_expectation_drains_nothing_and_is_logged(
    machine: Machine, text: str | None
) -> None:
    if text is None:
        (machine.root / FILE.lstrip("/")).unlink()
    else:
        machine.write(FILE, text)
    with pytest.raises(NoExpectation):
        read_expected(machine.probe())
    assert machine.look("prolog") == 0
    assert machine.updates == []
    assert machine.events[0]["event"] == "refused"


def test_an_exception_in_a_check_is_not_a_finding(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def look(probe: Probe, expected: Expected) -> list[object]:
        raise RuntimeError("a bug")

    monkeypatch.setattr("clusterwright_health.checks.efa.look", look)
    machine.efa(1, "1: DOWN")
    assert machine.look() == 0
    assert machine.updates == []
    assert [event["check"] for event in machine.events] == ["efa"]


def test_every_remedy_is_defined() -> None:
    folder = Path(checks.__path__[0])
    named = set()
    for file in folder.glob("*.py"):
        text = file.read_text()
        named |= {word for word in REMEDIES if f'"{word}"' in text}
    assert named == {"heals", "reset", "reboot", "replace"}
    actions = {entry["action"] for entry in xid.read_table().content["buckets"].values()}
    assert actions - {"none", "report", "check"} <= set(REMEDIES)


def test_program_runs_and_has_usage(lifecycle: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "clusterwright_health"],
        cwd=lifecycle,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert done.stdout == "usage: python3 -m clusterwright_health prolog|epilog|periodic\n"
