"""The program that copies the runs on the local disks."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from clusterwright_checkpoints.service import main


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run with a finished and an unfinished checkpoint."""
    folder = tmp_path / "local" / "run"
    for step in ("step-1", "step-2"):
        (folder / step).mkdir(parents=True)
        (folder / step / "shard.bin").write_bytes(b"content")
    (folder / "step-1" / "COMPLETE").touch()
    (tmp_path / "shared").mkdir()
    return folder


def options(run: Path, mode: str, *more: str) -> list[str]:
    shared = run.parents[1] / "shared"
    return [mode, f"--local={run.parent}", f"--shared={shared}", "--node=n1", *more]


def test_finished_checkpoints_are_copied_once(run: Path) -> None:
    shared = run.parents[1] / "shared" / "run"
    words = options(run, "run")
    words[1:3] = [f"--local={run}", f"--shared={shared}"]
    assert main(words) == 0
    assert (shared / "step-1" / "shard.bin").read_bytes() == b"content"
    assert not (shared / "step-2").exists()
    assert main(words) == 0


def test_flush_ends_at_its_deadline(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A name that is not a valid run: nothing is copied, and nothing is left."""
    assert main(options(run, "flush", "--run=other", "--timeout-seconds=0")) == 0
    assert capsys.readouterr().err == ""


def test_only_runs_are_copied(tmp_path: Path) -> None:
    local = tmp_path / "local"
    assert main(["once", f"--local={local}", f"--shared={tmp_path}", "--node=n1"]) == 0
    local.mkdir()
    (local / "file").touch()
    (local / ".hidden").mkdir()
    (local / "link").symlink_to(tmp_path)
    assert main(["once", f"--local={local}", f"--shared={tmp_path}", "--node=n1"]) == 0


def test_a_process_of_the_owner_copies(run: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (run / "step-3").mkdir()
    os.mkfifo(run / "step-3" / "pipe")
    (run / "step-3" / "COMPLETE").touch()
    assert main(options(run, "once")) == 1
    events = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [event["checkpoint"] for event in events if event["event"] == "refused"] == ["step-3"]
    assert (run.parents[1] / "shared" / "run" / "step-1").is_dir()
