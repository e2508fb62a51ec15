"""The step that installs the checkpoint service."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.nodes.world import World

UNIT = "etc/systemd/system/clusterwright-checkpoints.service"
LOCAL = "opt/dlami/nvme/checkpoints"
SHARED = "fsx/checkpoints"


def test_service_copies_from_scratch_to_the_checkpoint_path(
    world: Callable[..., World],
) -> None:
    node = world("workers-1")
    assert node.run().statuses()["checkpoint_drain"] == "applied"
    (start,) = [
        line for line in (node.root / UNIT).read_text().splitlines() if "ExecStart" in line
    ]
    assert start.endswith(
        "-m clusterwright_checkpoints serve --local=/opt/dlami/nvme/checkpoints "
        "--shared=/fsx/checkpoints --node=workers-1"
    )
    assert (node.root / LOCAL).stat().st_mode & 0o7777 == 0o1777
    assert node.run().statuses()["checkpoint_drain"] == "unchanged"


def test_service_runs_the_program(world: Callable[..., World]) -> None:
    """The command of the unit, run once in this node's folders."""
    node = world("workers-1")
    node.run()
    step = node.root / LOCAL / "llama" / "step-100"
    step.mkdir(parents=True)
    (step / "shard.bin").write_bytes(b"weights")
    (step / "COMPLETE").write_text("")
    done = subprocess.run(
        [
            sys.executable,
            "-B",
            "-m",
            "clusterwright_checkpoints",
            "once",
            f"--local={node.root / LOCAL}",
            f"--shared={node.root / SHARED}",
            "--node=workers-1",
        ],
        env={"PYTHONPATH": str(node.root / "opt/clusterwright/lib")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (node.root / SHARED / "llama/latest/shard.bin").read_bytes() == b"weights"


def test_existing_folder_keeps_its_mode(world: Callable[..., World]) -> None:
    node = world("workers-1")
    shared = node.root / SHARED
    (shared / "run-of-ada").mkdir(parents=True)
    shared.chmod(0o755)
    node.run()
    assert shared.stat().st_mode & 0o7777 == 0o755
    assert (node.root / LOCAL).stat().st_mode & 0o7777 == 0o1777


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"checkpoint_path": None}, "has no checkpoint path"),
        ({"checkpoint_path": "/opt/dlami/nvme/c"}, "is not on shared storage"),
    ],
)
def test_step_is_skipped_without_source_or_target(
    world: Callable[..., World], change: dict[str, object], reason: str
) -> None:
    node = world("workers-1")
    node.edit("cluster.json", lambda c: c.update(change))
    run = node.run()
    assert run.code == 0
    assert reason in run.end_of("checkpoint_drain")["hint"]
    assert not (node.root / UNIT).exists()


def test_step_is_skipped_on_nodes_without_jobs_or_disks(world: Callable[..., World]) -> None:
    assert world("controller-1").run().statuses()["checkpoint_drain"] == "skipped"
    node = world("workers-1")
    node.edit("cluster.json", lambda c: c["groups"][2].update(scratch=None))
    assert node.run().statuses()["checkpoint_drain"] == "skipped"


def test_changed_program_replaces_the_running_one(world: Callable[..., World]) -> None:
    node = world("workers-1")
    node.run()
    copy = node.root / "opt/clusterwright/lib/clusterwright_checkpoints/drain.py"
    copy.write_text("# an older one\n")
    run = node.run()
    assert run.statuses()["checkpoint_drain"] == "applied"
    stops = [argv for argv in run.machine.ran if argv[:2] == ("systemctl", "stop")]
    assert ("systemctl", "stop", "clusterwright-checkpoints.service") in stops


def test_job_can_wait_for_its_checkpoints(world: Callable[..., World]) -> None:
    """With the same writer name as the service: otherwise one node would count as two."""
    node = world("workers-1")
    node.run()
    flush = node.root / "opt/clusterwright/bin/flush-checkpoints"
    assert flush.stat().st_mode & 0o777 == 0o755
    (command,) = [line for line in flush.read_text().splitlines() if line.startswith("exec ")]
    assert command == (
        "exec /usr/bin/env PYTHONPATH=/opt/clusterwright/lib /usr/bin/python3 -B "
        "-m clusterwright_checkpoints flush --local=/opt/dlami/nvme/checkpoints "
        '--shared=/fsx/checkpoints --node=workers-1 "$@"'
    )
    flush.chmod(0o700)
    assert node.run().statuses()["checkpoint_drain"] == "applied"
    assert flush.stat().st_mode & 0o777 == 0o755
