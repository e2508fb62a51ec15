"""checkpoint-cleanup: what the job runs, on real folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.job_templates.template import RefusedError
from tests.job_templates import node
from tests.job_templates.made import made_cluster, rendered


def run(folder: Path, **settings: str) -> tuple[str, list[str]]:
    text = rendered(
        "checkpoint-cleanup", checkpoints="/fsx/checkpoints/run", plan=None, **settings
    )
    done = node.run(text, folder, SLURM_ARRAY_TASK_ID="0")
    assert done.returncode == 0, done.stdout + done.stderr
    names = [path.name for path in (folder / "fsx/checkpoints/run").iterdir()]
    return done.stdout, sorted(names)


def test_it_lists_and_removes(tmp_path: Path) -> None:
    for step in (10, 20, 30, 40):
        path = tmp_path / f"fsx/checkpoints/run/step-{step}"
        path.mkdir(parents=True)
        (path / ".metadata").touch()
    out, names = run(tmp_path)
    assert len(names) == 4
    assert "would remove step-10, whole" in out
    _, names = run(tmp_path, keep="2", remove="yes")
    assert names == ["step-30", "step-40"]


def test_it_shares_a_node_without_accelerators() -> None:
    head = rendered("checkpoint-cleanup", checkpoints="/fsx/c").partition("set -o")[0]
    assert "--partition=cpu\n" in head
    assert "--cpus-per-task=1\n" in head
    assert "--exclusive" not in head


def test_refused() -> None:
    with pytest.raises(RefusedError, match="needs the setting checkpoints"):
        rendered("checkpoint-cleanup")
    with pytest.raises(RefusedError, match="no FSx for Lustre file system"):
        rendered("checkpoint-cleanup", made_cluster(storage={}), checkpoints="/fsx/c")
