"""The step with which slurmd starts only on an accepted node of ParallelCluster and PCS."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from clusterwright_acceptance.node_run import RESULT
from clusterwright_node.steps.acceptance_at_boot import DROP_IN, REPORT_UNIT, UNIT

from tests.nodes.world import World

HOLD = {"level": "standard", "hold": True, "floors": [], "waivers": []}
STEP = "acceptance_at_boot"


def held(node: World) -> World:
    node.edit("cluster.json", lambda c: c.update(acceptance=HOLD))
    return node


def test_slurmd_requires_the_test(world: Callable[..., World]) -> None:
    node = held(world("workers-1", "parallelcluster"))
    run = node.run()
    assert run.statuses()[STEP] == "applied"
    drop_in = (node.root / DROP_IN.lstrip("/")).read_text()
    assert f"Requires={UNIT}\nAfter={UNIT}\n" in drop_in
    unit = (node.root / f"etc/systemd/system/{UNIT}").read_text()
    assert " -m clusterwright_acceptance boot\n" in unit
    assert "Type=oneshot\nRemainAfterExit=yes\n" in unit
    assert ("systemctl", "start", UNIT) in run.machine.ran
    again = node.run()
    assert again.statuses()[STEP] == "unchanged"
    assert ("systemctl", "start", UNIT) not in again.machine.ran


def test_pcs_tests_each_boot_and_reports_after_slurmd_started(world: Callable[..., World]) -> None:
    node = held(world("workers-1", "pcs"))
    run = node.run()
    assert run.statuses()[STEP] == "applied"
    assert not (node.root / DROP_IN.lstrip("/")).exists()
    unit = (node.root / f"etc/systemd/system/{UNIT}").read_text()
    assert " -m clusterwright_acceptance boot --report-later\n" in unit
    assert f"Wants=network-online.target {REPORT_UNIT}\n" in unit
    report = (node.root / f"etc/systemd/system/{REPORT_UNIT}").read_text()
    assert f"Requires={UNIT}\nAfter={UNIT}\n" in report
    assert " -m clusterwright_acceptance report\nRestart=on-failure\n" in report
    assert ("systemctl", "start", UNIT) in run.machine.ran
    run.machine.reboot()
    node.change(failing_units={UNIT: "rejected: gpu-count: 7 GPUs, 8 expected"})
    failed = node.run()
    assert failed.code == 1
    assert "AWS PCS replaces the instance" in json.dumps(failed.end_of(STEP))
    node.edit("cluster.json", lambda c: c.update(acceptance={**HOLD, "hold": False}))
    assert node.run().statuses()[STEP] == "applied"
    assert not (node.root / f"etc/systemd/system/{REPORT_UNIT}").exists()


def test_a_changed_unit_does_not_stop_a_tested_node(world: Callable[..., World]) -> None:
    node = held(world("workers-1", "parallelcluster"))
    node.run()
    (node.root / f"etc/systemd/system/{UNIT}").write_text("# older\n")
    run = node.run()
    assert run.statuses()[STEP] == "applied"
    verbs = {words[1] for words in run.machine.ran if words[0] == "systemctl" and UNIT in words}
    assert verbs <= {"show"}


@pytest.mark.parametrize("written", [True, False], ids=["result", "no-result"])
def test_a_node_that_is_not_accepted_fails_with_the_reason(
    world: Callable[..., World], written: bool
) -> None:
    node = held(world("workers-1", "parallelcluster"))
    node.change(failing_units={UNIT: "rejected: gpu-count: 7 GPUs, 8 expected"})
    if written:
        path = node.root / RESULT.lstrip("/")
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"verdict": "unknown", "reason": "clock: chronyc is missing"}))
    run = node.run()
    assert run.code == 1
    end = run.end_of(STEP)
    assert end["status"] == "failed"
    expected = (
        "the node is unknown: clock: chronyc is missing"
        if written
        else "gpu-count: 7 GPUs, 8 expected"
    )
    assert expected in json.dumps(end)
    assert "acceptance.waivers" in json.dumps(end)
    # The next boot, or `systemctl start slurmd` after a repair, tests again.
    node.change(failing_units={})
    assert node.run().statuses()[STEP] == "applied"


def test_without_the_hold_the_files_are_removed(world: Callable[..., World]) -> None:
    node = held(world("workers-1", "parallelcluster"))
    node.run()
    node.edit("cluster.json", lambda c: c.update(acceptance={**HOLD, "hold": False}))
    assert node.run().statuses()[STEP] == "applied"
    assert not (node.root / DROP_IN.lstrip("/")).exists()
    assert not (node.root / f"etc/systemd/system/{UNIT}").exists()
    assert node.run().statuses()[STEP] == "skipped"


@pytest.mark.parametrize(
    ("name", "configuration"),
    [
        ("controller-1", "parallelcluster"),
        ("login-1", "parallelcluster"),
        ("login-1", "pcs"),
        ("workers-1", "managed"),
        ("workers-1", "scripted"),
    ],
)
def test_other_nodes_are_not_tested_at_boot(
    world: Callable[..., World], name: str, configuration: str
) -> None:
    assert held(world(name, configuration)).run().statuses()[STEP] == "skipped"
