"""The step that announces boots: drained once in each boot, before slurmd registers."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from clusterwright_node.steps.acceptance_hold import DROP_IN, MARKER, SCRIPT
from clusterwright_state.hold import NEW

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


Script = Callable[..., list[str]]


@pytest.fixture
def script(world: Callable[..., World], tmp_path: Path) -> Script:
    """Run the script with a scontrol that shows a state; return the commands that ran.

    `options` are slurmd's in its environment, `words` those in the command line of its unit.
    """
    node = held(world("workers-1", "scripted"))
    node.run()
    text = (node.root / SCRIPT.lstrip("/")).read_text()
    binaries = tmp_path / "bin"
    binaries.mkdir()
    text = text.replace("PATH=/opt/slurm/bin:", f"PATH={binaries}:")
    text = text.replace("/run/clusterwright", f"{tmp_path}/run/clusterwright")
    assert MARKER.startswith("/run/clusterwright/")

    def command(name: str, body: str) -> None:
        (binaries / name).write_text(f"#!/bin/sh\n{body}\n")
        (binaries / name).chmod(0o755)

    def run(
        state: str, options: str | None = SERVER, words: str = "", reason: str = ""
    ) -> list[str]:
        log = tmp_path / "ran"
        body = f'echo "${{SLURM_CONF_SERVER:-none}} $*" >> {log}\ntest "{state}" || exit 1\n'
        shown = f"NodeName=n State={state} ThreadsPerCore=2 "
        shown += f"Reason={reason} [slurm@2026-11-30T10:40:41] Comment=a" if reason else ""
        command("scontrol", f'{body}echo "{shown}"')
        start = f"path=/usr/sbin/slurmd ; argv[]=/usr/sbin/slurmd -D {words} ; pid=0"
        command("systemctl", f"echo 'ExecStart={{ {start} }}'")
        env = {"PATH": os.environ["PATH"]}
        if options is not None:
            env["SLURMD_OPTIONS"] = options
        done = subprocess.run(
            ["sh", "-c", text], env=env, capture_output=True, text=True, check=False
        )
        assert (done.returncode == 0) == bool(state), done.stderr
        return log.read_text().splitlines()

    return run


SERVER = "--conf-server 10.1.0.10:6817"


def test_a_boot_is_announced_once(script: Script) -> None:
    server, name = "10.1.0.10:6817", "ip-10-1-0-31"
    # slurmd waits while slurmctld does not answer.
    assert script("") == [f"{server} --oneliner show node {name}"]
    drained = script("DOWN*")
    assert drained[-1] == (
        f"{server} update NodeName={name} State=DRAIN Reason=clusterwright acceptance: new"
    )
    assert script("IDLE") == drained


@pytest.mark.parametrize(
    ("options", "words", "server"),
    [
        # HyperPod's managed configuration, in which this program writes no file of options.
        (f"-b {SERVER} -N n", "$SLURMD_OPTIONS", "10.1.0.10:6817"),
        ("--conf-server=a:6817,b:6817", "$SLURMD_OPTIONS", "a:6817,b:6817"),
        (None, f"-s {SERVER}", "10.1.0.10:6817"),
        # The node has a slurm.conf of its own.
        ("", "-s", "none"),
        (None, "", "none"),
    ],
)
def test_commands_ask_the_server_that_slurmd_asks(
    script: Script, options: str | None, words: str, server: str
) -> None:
    assert {line.split()[0] for line in script("DOWN*", options, words)} == {server}


def test_the_reason_of_a_drained_node_stays(script: Script) -> None:
    assert not any("update" in line for line in script("DOWN*+DRAIN"))


@pytest.mark.parametrize(
    ("reason", "kept"),
    [
        ("Not responding", NEW),
        ("Node unexpectedly rebooted", NEW),
        ("the vendor replaces its cable", "the vendor replaces its cable"),
    ],
)
def test_a_node_that_somebody_set_down_is_drained_for_their_reason(
    script: Script, reason: str, kept: str
) -> None:
    assert script("DOWN*", reason=reason)[-1].endswith(f"State=DRAIN Reason={kept}")
