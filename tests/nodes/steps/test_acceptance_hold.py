"""The step that announces boots: drained once in each boot, before slurmd registers."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from clusterwright_node.steps.acceptance_hold import DROP_IN, MARKER, SCRIPT

from tests.nodes.world import World

HOLD = {"level": "quick", "hold": True, "floors": [], "waivers": []}


def held(node: World) -> World:
    node.edit("cluster.json", lambda c: c.update(acceptance=HOLD))
    return node


@pytest.mark.parametrize("configuration", ["managed", "scripted"])
def test_slurmd_starts_after_the_announcement(
    world: Callable[..., World], configuration: str
) -> None:
    node = held(world("workers-1", configuration))
    if configuration == "managed":
        slurmd = {"active": True, "enabled": True, "loaded": None}
        node.change(units={**node.state["units"], "slurmd.service": slurmd})
    assert node.run().statuses()["acceptance_hold"] == "applied"
    assert f"ExecStartPre={SCRIPT}\n" in (node.root / DROP_IN.lstrip("/")).read_text()
    assert (node.root / SCRIPT.lstrip("/")).stat().st_mode & 0o777 == 0o755
    marker = node.root / MARKER.lstrip("/")
    # HyperPod's slurmd runs already in the managed configuration; else slurmd runs the drop-in,
    # which the emulated systemd does not.
    assert marker.exists() == (configuration == "managed")
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.touch()
    assert node.run().statuses()["acceptance_hold"] == "unchanged"
    node.edit("cluster.json", lambda c: c.update(acceptance={**HOLD, "hold": False}))
    assert node.run().statuses()["acceptance_hold"] == "applied"
    assert not (node.root / DROP_IN.lstrip("/")).exists()
    assert node.run().statuses()["acceptance_hold"] == "skipped"


def test_other_nodes_announce_nothing(world: Callable[..., World]) -> None:
    for name, configuration in (
        ("controller-1", "scripted"),
        ("login-1", "scripted"),
        ("workers-1", "parallelcluster"),
    ):
        node = held(world(name, configuration))
        assert node.run().statuses()["acceptance_hold"] == "skipped"


@pytest.fixture
def script(world: Callable[..., World], tmp_path: Path) -> Callable[[str], list[str]]:
    """Run the script with a scontrol that shows a state; return the commands that ran."""
    node = held(world("workers-1", "scripted"))
    node.run()
    text = (node.root / SCRIPT.lstrip("/")).read_text()
    binaries = tmp_path / "bin"
    binaries.mkdir()
    text = text.replace("PATH=/opt/slurm/bin:", f"PATH={binaries}:")
    for folder in ("/run/clusterwright", "/etc/clusterwright"):
        text = text.replace(folder, f"{tmp_path}{folder}")
    (tmp_path / "etc/clusterwright").mkdir(parents=True)
    env = tmp_path / "etc/clusterwright/slurmd.env"
    env.write_text('SLURMD_OPTIONS="--conf-server 10.1.0.10:6817"\n')
    assert MARKER.startswith("/run/clusterwright/")

    def run(state: str) -> list[str]:
        command = binaries / "scontrol"
        log = tmp_path / "ran"
        body = f'echo "$SLURM_CONF_SERVER $*" >> {log}\ntest "{state}" || exit 1\n'
        command.write_text(f'#!/bin/sh\n{body}echo "NodeName=n State={state}"\n')
        command.chmod(0o755)
        done = subprocess.run(["sh", "-c", text], capture_output=True, text=True, check=False)
        assert (done.returncode == 0) == bool(state), done.stderr
        return log.read_text().splitlines()

    return run


def test_a_boot_is_announced_once(script: Callable[[str], list[str]]) -> None:
    server, name = "10.1.0.10:6817", "ip-10-1-0-31"
    # slurmd waits while slurmctld does not answer.
    assert script("") == [f"{server} --oneliner show node {name}"]
    drained = script("DOWN*")
    assert drained[-1] == (
        f"{server} update NodeName={name} State=DRAIN Reason=clusterwright acceptance: new"
    )
    assert script("IDLE") == drained


def test_the_reason_of_a_drained_node_stays(script: Callable[[str], list[str]]) -> None:
    assert not any("update" in line for line in script("DOWN*+DRAIN"))
