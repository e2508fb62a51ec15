"""Starting programs with srun."""

from __future__ import annotations

import os
import pwd

import pytest
from clusterwright_acceptance.launcher import NodeResources, SrunLauncher

from tests.nodes.acceptance.fake_node import Node
from tests.nodes.acceptance.srun_output import pieces

RESERVED = {"n1": "clusterwright_acceptance", "n2": "clusterwright_acceptance"}


def launch(node: Node, seconds: float = 10.0) -> object:
    launcher = SrunLauncher(node.probe(), RESERVED)
    return launcher.run(
        ["n1", "n2"], ["perf", "-g", "1"], tasks_per_node=8, timeout_seconds=seconds, env={}
    )


def test_command_line(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/root")
    launcher = SrunLauncher(node.probe(), RESERVED)
    env = {"NCCL_DEBUG_SUBSYS": "INIT,NET", "NCCL_ALGO": "RING"}
    assert launcher.argv(["n1", "n2"], ["perf"], 8, 240.0, env) == [
        "srun", "--job-name=clusterwright-acceptance", "--nodes=2", "--nodelist=n1,n2",
        "--ntasks-per-node=8", "--exclusive", "--mem=0",
        "--propagate=NONE", "--label", "--kill-on-bad-exit=1",
        "--immediate=60", "--time=6", "--reservation=clusterwright_acceptance", "--mpi=pmix",
        "env", "NCCL_ALGO=RING", "NCCL_DEBUG_SUBSYS=INIT,NET", "perf",
    ]  # fmt: skip
    alone = SrunLauncher(node.probe()).argv(["n1"], ["perf"], 1, 30.0, {})
    assert "--mpi=pmix" not in alone
    assert not any(word.startswith("--reservation") for word in alone)


def test_a_service_without_home_gives_its_jobs_one(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOME")
    words = SrunLauncher(node.probe()).argv(["n1"], ["perf"], 1, 30.0, {"NCCL_ALGO": "RING"})
    home = f"HOME={pwd.getpwuid(os.getuid()).pw_dir}"
    assert words[-4:] == ["env", home, "NCCL_ALGO=RING", "perf"]


def test_step_gets_the_whole_node(node: Node) -> None:
    """Without these words a step of an exclusive job has one CPU and no GPU (Slurm 24.11.5)."""
    known = {"n1": NodeResources(192, "gpu:8"), "n2": NodeResources(190, "gpu:8")}
    launcher = SrunLauncher(node.probe(), resources=known)

    def requested(nodes: list[str], tasks: int) -> list[str]:
        words = launcher.argv(nodes, ["perf"], tasks, 30.0, {})
        return [word for word in words if word.startswith(("--cpus-per-task", "--gres"))]

    assert requested(["n1"], 1) == ["--cpus-per-task=192", "--gres=gpu:8"]
    # Whole cores: 23 threads would be 24.
    assert requested(["n1", "n2"], 8) == ["--cpus-per-task=22", "--gres=gpu:8"]
    assert requested(["n1", "n3"], 1) == []


def test_jobs_that_a_killed_run_left_are_cancelled(node: Node) -> None:
    node.command("scancel", f'echo "$@" > {node.root}/cancelled')
    SrunLauncher(node.probe()).cancel_left()
    asked = (node.root / "cancelled").read_text().split()
    assert asked == ["--quiet", f"--user={os.getuid()}", "--name=clusterwright-acceptance"]


def test_output_and_exit_code(node: Node) -> None:
    node.command("srun", "echo '0: hello'; echo warning >&2; exit 3")
    node.command("sinfo", "echo 'n1 alloc'; echo 'n2 alloc'")
    done = launch(node)
    assert (done.exit_code, done.stdout, done.lost) == (3, "0: hello\n", ())  # type: ignore[attr-defined]
    assert "warning" in done.output  # type: ignore[attr-defined]


def test_pieces_of_long_lines_are_joined(node: Node) -> None:
    """A line of up to 1,023 bytes comes whole; other tasks write between pieces."""
    lines = ["0: " + "a" * 3000, "1: " + "b" * 1024, "1: c", "srun: d", "2: " + "e" * 1023, "2: f"]
    said = pieces("\n".join(lines))
    assert max(map(len, said.splitlines())) == len("0: ") + 1024
    assert said.splitlines()[0][0] != said.splitlines()[1][0]
    (node.root / "said").write_text(said)
    node.command("srun", f"cat {node.root}/said; cat {node.root}/said >&2")
    done = launch(node)
    assert sorted(done.stdout.splitlines()) == sorted(lines)  # type: ignore[attr-defined]
    assert done.stderr == done.stdout  # type: ignore[attr-defined]


def test_ranks_leave_their_start_together(node: Node) -> None:
    """Open MPI 5 crashed in MPI_Init when a message of a rank that had left it arrived."""
    node.command("srun", 'echo "0: $SLURM_PMIX_FENCE"')
    assert launch(node).stdout == "0: ring\n"  # type: ignore[attr-defined]


def test_job_that_hangs_is_cancelled_and_has_no_exit_code(node: Node) -> None:
    """srun cancels its job at SIGTERM, not when it is killed (Slurm 24.11.5)."""
    ended = f"trap 'echo ended >{node.root}/ended; exit 1' TERM; sleep 60 & wait"
    node.command("srun", ended)
    node.command("sinfo", "echo 'n1 alloc'")
    node.command("scancel", f'echo "$@" >{node.root}/cancelled')
    assert launch(node, 0.5).exit_code is None  # type: ignore[attr-defined]
    assert (node.root / "ended").read_text() == "ended\n"
    words = (node.root / "cancelled").read_text().split()
    assert words[2:] == [
        "--name=clusterwright-acceptance", "--state=RUNNING", "--nodelist=n1,n2"
    ]  # fmt: skip


def test_nodes_that_have_started_again_are_named(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PCS had replaced a node before slurmctld missed it, and its verdict was unknown."""
    node.command(
        "srun",
        "echo 'srun: error: n1: task 0: Exited with exit code 1' >&2; exit 1",
    )
    monkeypatch.setattr("clusterwright_acceptance.launcher.NOTICED_SECONDS", 0.0)
    node.command("sinfo", "echo 'n1 idle'; echo 'n2 comp'")
    node.command(
        "scontrol",
        # On n1 slurmd alone was restarted.
        "echo 'NodeName=n1 BootTime=2026-01-01T00:00:00 SlurmdStartTime=2999-01-01T00:00:00'\n"
        "echo 'NodeName=n2 BootTime=2999-01-01T00:00:00 SlurmdStartTime=2999-01-01T00:00:00'\n"
        "echo 'NodeName=n3 BootTime=None SlurmdStartTime=None'",
    )
    assert launch(node).lost == ("n2",)  # type: ignore[attr-defined]
    # Slurm's step is gone with the node's slurmd.
    for said in ("Timed out waiting for job step to complete", "Aborting, step missing"):
        node.command("srun", f"echo 'srun: error: {said}' >&2; exit 1")
        assert launch(node).lost == ("n1", "n2")  # type: ignore[attr-defined]
    node.command("scontrol", "exit 1")
    assert launch(node).lost == ()  # type: ignore[attr-defined]


def test_node_that_registers_later_is_named(node: Node) -> None:
    said = "srun: error: Timed out waiting for job step to complete"
    node.command("srun", f"echo '{said}' >&2; exit 1")
    node.command("sinfo", "echo 'n1 idle'; echo 'n2 idle'")
    asked = node.root / "asked"
    node.command(
        "scontrol",
        f"[ -e {asked} ] || {{ touch {asked}; exit 1; }}\n"
        "echo 'NodeName=n2 BootTime=2026-01-01T00:00:00 SlurmdStartTime=2999-01-01T00:00:00'",
    )
    assert launch(node).lost == ("n2",)  # type: ignore[attr-defined]


def test_nodes_that_stopped_are_named(node: Node) -> None:
    node.command("srun", "echo 'srun: error: Node failure on n2' >&2; exit 1")
    node.command("sinfo", "exit 1")
    assert launch(node).lost == ("n2",)  # type: ignore[attr-defined]
    node.command("srun", "exit 1")
    node.command("sinfo", "echo 'n1 down*'; echo 'n2 idle'")
    assert launch(node).lost == ("n1",)  # type: ignore[attr-defined]
