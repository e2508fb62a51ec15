"""The timer that updates the topology on ParallelCluster's head node."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from clusterwright_node.steps import topology, topology_follow

from tests.nodes.world import World


@pytest.fixture
def head(world: Callable[..., World]) -> World:
    node = world("controller-1", "parallelcluster")
    node.edit("cluster.json", lambda c: c["slurm"].update(topology="tree"))
    return node


def read(node: World, path: str) -> str:
    return (node.root / path.lstrip("/")).read_text()


def test_head_node_checks_every_minute(head: World) -> None:
    assert head.run().statuses()["topology_follow"] == "applied"
    unit = head.state["units"][topology_follow.TIMER]
    assert (unit["active"], unit["enabled"]) == (True, True)
    service = read(head, "/etc/systemd/system/" + topology_follow.SERVICE)
    assert f"ExecStart={topology_follow.PROGRAM}\n" in service
    assert head.run().statuses()["topology_follow"] == "unchanged"


def test_program_runs_the_step_from_a_permanent_copy(head: World) -> None:
    head.run()
    line = read(head, topology_follow.PROGRAM).splitlines()[-1]
    arguments = line.partition(" -m clusterwright_node ")[2].split()
    assert arguments == [
        "--configuration=parallelcluster",
        "--inputs=/opt/clusterwright/scripts",
        "--group=controller",
        "--only=topology",
    ]
    copy = head.root / "opt/clusterwright/scripts"
    done = subprocess.run(
        [sys.executable, "-B", "-m", "clusterwright_node", *arguments, "--list"],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "topology" in done.stdout


@pytest.mark.parametrize(
    ("seen", "said", "runs"),
    [
        ("a-st-w-1 10.0.0.4\n", "NodeName=a-st-w-1 CPUTot=4 NodeAddr=10.0.0.4 State=IDLE", False),
        ("a-st-w-1 10.0.0.4\n", "NodeName=a-st-w-1 CPUTot=4 NodeAddr=10.0.0.9 State=IDLE", True),
        ("", "NodeName=a-dy-w-1 CPUTot=4 NodeAddr=a-dy-w-1 State=IDLE+CLOUD", False),
        (None, "NodeName=a-st-w-1 CPUTot=4 NodeAddr=10.0.0.4 State=IDLE", True),
        # Names that scontrol and `sort` order differently.
        (
            "a-st-w-10 10.0.0.4\na-st-w-2 10.0.0.5\n",
            "NodeName=a-st-w-2 NodeAddr=10.0.0.5 X=1\nNodeName=a-st-w-10 NodeAddr=10.0.0.4 X=1",
            False,
        ),
        ("a-st-w-1 10.0.0.4\n", None, False),
    ],
)
def test_ec2_is_called_only_for_changed_instances(
    head: World, tmp_path: Path, seen: str | None, said: str | None, runs: bool
) -> None:
    """The generated text, with a stub of scontrol and a program that records its calls."""
    head.run()
    seen_path, known, ran = (tmp_path / name for name in ("seen", "known", "ran"))
    known.write_text("{}")
    if seen is not None:
        seen_path.write_text(seen)
    text = read(head, topology_follow.PROGRAM)
    *lines, last = text.splitlines()
    assert last.startswith("exec ")
    script = "\n".join([*lines, f"exec touch {ran}\n"])
    script = script.replace(topology.SEEN, str(seen_path)).replace(topology.KNOWN, str(known))
    script = script.replace("/opt/slurm/bin", str(tmp_path))
    scontrol = tmp_path / "scontrol"
    fails = "exit 1" if said is None else ""
    scontrol.write_text(f"#!/bin/sh\n{fails}\ncat <<'X'\n{said}\nX\n")
    scontrol.chmod(0o755)
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert ran.exists() == runs
    assert known.exists() != runs, "what EC2 said is asked for again"


def test_timer_is_removed_when_unused(head: World) -> None:
    head.run()
    head.edit("cluster.json", lambda c: c["slurm"].update(topology="automatic"))
    assert head.run().statuses()["topology_follow"] == "applied"
    assert not (head.root / topology_follow.PROGRAM.lstrip("/")).exists()
    assert head.run().statuses()["topology_follow"] == "skipped"


def test_other_nodes_do_not_watch(world: Callable[..., World]) -> None:
    for name, configuration in (
        ("controller-1", "managed"),
        ("controller-1", "scripted"),
        ("controller-1", "parallelcluster"),
        ("workers-1", "parallelcluster"),
    ):
        node = world(name, configuration)
        assert node.run().statuses()["topology_follow"] == "skipped"
