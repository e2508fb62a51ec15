"""What scenarios read from Slurm about drained nodes."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from clusterwright_rehearsal.scenario_api import faults
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.node import Node
from clusterwright_rehearsal.scenario_api.outcomes import Broken, NotApplicable
from packages.rehearsal.tests.scenario_api.fake_context import FakeContext

_GPU = "clusterwright: gpu: 7 of 8 GPUs (replace)"
_END = "[root@2026-11-21T04:00:00] Partitions=training"


def _node(context: FakeContext, accelerator: str = "nvidia") -> Node:
    def must(command: str, **_: object) -> str:
        if command.startswith("cat "):
            return f'{{"accelerator": "{accelerator}", "accelerator_count": 1}}'
        assert f"systemctl start {faults.HEALTH_SERVICE}" in command
        context.checks += 1
        return ""

    return cast(Node, SimpleNamespace(host="ip-10-0-0-9", must=must, slurm_state=lambda: "idle"))


@pytest.mark.parametrize(
    ("shown", "reason"),
    [
        ("NodeName=a State=IDLE Partitions=training", None),
        ("NodeName=a State=DOWN* Reason=Not responding [slurm@2026-11-21T04:00:00]", None),
        (f"NodeName=a State=IDLE+DRAIN Reason={_GPU} {_END}", _GPU),
        (f"NodeName=a State=MIXED+DRAIN Reason={_GPU} {_END}", _GPU),
        (
            f"NodeName=a State=DOWN*+DRAIN Reason={_GPU} : Not responding {_END}",
            f"{_GPU} : Not responding",
        ),
        ("NodeName=a State=IDLE+DRAIN Partitions=training", ""),
    ],
)
def test_reason_of_a_drained_node_is_returned(shown: str, reason: str | None) -> None:
    context = FakeContext(shown)
    assert faults.drain_reason(cast(ScenarioContext, context), _node(context)) == reason


def test_node_drained_for_another_reason_breaks_the_promise() -> None:
    context = FakeContext(f"State=IDLE+DRAIN Reason=clusterwright: clock: not synchronised {_END}")
    with pytest.raises(Broken, match="lacks"):
        faults.expect_drained(cast(ScenarioContext, context), _node(context), "gpu:")
    assert context.checks == 1


def test_node_that_is_not_drained_breaks_the_promise() -> None:
    context = FakeContext("State=IDLE")
    with pytest.raises(Broken, match="idle after a health check"):
        faults.expect_drained(cast(ScenarioContext, context), _node(context), "gpu:")


def test_node_must_resume_within_four_checks() -> None:
    drained = f"State=IDLE+DRAIN Reason={_GPU} {_END}"
    context = FakeContext(drained, drained, "State=IDLE")
    faults.expect_in_service(cast(ScenarioContext, context), _node(context))
    assert context.checks == 2
    context = FakeContext(drained)
    with pytest.raises(Broken, match="still drained"):
        faults.expect_in_service(cast(ScenarioContext, context), _node(context))
    assert context.checks == 4


def test_scenario_for_missing_devices_is_skipped() -> None:
    context = FakeContext("")
    context.compute = [_node(context, "nvidia"), _node(context, "nvidia")]
    faults.require_devices(cast(ScenarioContext, context), "nvidia")
    with pytest.raises(NotApplicable, match="neuron devices"):
        faults.require_devices(cast(ScenarioContext, context), "neuron")


@pytest.mark.parametrize("has_timer", [True, False])
def test_health_checks_are_stopped_and_restored(tmp_path: Path, *, has_timer: bool) -> None:
    programs = [tmp_path / name for name in ("prolog", "epilog", "health_check")]
    for path in programs:
        path.write_text(f"#!/bin/sh\necho {path.name}\n")
        path.chmod(0o755)
    ran = []

    def run(command: str) -> SimpleNamespace:
        ran.append(command)
        return SimpleNamespace(ok=has_timer)

    def must(command: str) -> None:
        if "systemctl" in command:
            ran.append(command)
        else:
            here = command.replace("/opt/clusterwright/slurm", str(tmp_path))
            subprocess.run(["bash", "-c", here], check=True)

    with faults.health_checks_stopped(cast(Node, SimpleNamespace(run=run, must=must))):
        for path in programs:
            assert subprocess.run([path], check=True, capture_output=True).stdout == b""
    for path in programs:
        shown = subprocess.run([path], check=True, capture_output=True).stdout
        assert shown == f"{path.name}\n".encode()
    assert sorted(tmp_path.iterdir()) == sorted(programs)
    assert len(ran) == 1 + has_timer, "a timer that was there is started again"
