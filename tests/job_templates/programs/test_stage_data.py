"""Staging from S3 into Lustre, with a folder and a stub of lfs."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.job_templates.node import command
from tests.job_templates.programs.loading import program
from tests.support.lfs_program import LFS
from tools.lint.files import ROOT

stage = program("stage_data", ROOT / "lifecycle_scripts/clusterwright_preload")


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file system with forty files that are only in S3."""
    command(tmp_path, "bin/lfs", LFS.format(python=sys.executable, world=str(tmp_path)))
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    (tmp_path / "released").mkdir()
    (tmp_path / "stuck").mkdir()
    for number in range(40):
        name = f"data/part-{number % 4}/file {number}.bin"
        path = tmp_path / "fsx" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * 100)
        (tmp_path / "released" / name.replace("/", "@")).touch()
    return tmp_path


def run(world: Path, task: int = 0, tasks: int = 1, *more: str) -> tuple[int, dict[str, Any]]:
    report = world / f"report-{task}.json"
    code = stage.main([
        f"{world}/fsx/data/", f"--task={task}", f"--tasks={tasks}", f"--report={report}",
        "--batch=7", "--poll-seconds=0.01", "--stall-seconds=0.05", *more,
    ])  # fmt: skip
    return code, json.loads(report.read_text())


def test_the_tasks_load_every_file_once(world: Path) -> None:
    reports = [run(world, task, 3) for task in range(3)]
    assert [code for code, _ in reports] == [0, 0, 0]
    assert sum(report["loaded_files"] for _, report in reports) == 40
    assert sum(report["loaded_bytes"] for _, report in reports) == 4000
    assert all(report["complete"] for _, report in reports)
    assert list((world / "released").iterdir()) == []
    assert all(report["files"] > 5 for _, report in reports)


def test_it_goes_on_after_an_interruption(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in sorted((world / "released").iterdir())[:30]:
        path.unlink()
    code, report = run(world)
    assert (code, report["files"], report["loaded_files"]) == (0, 40, 10)
    out = capsys.readouterr().out
    assert "40 files seen (4000 bytes), 10 loaded (1000 bytes)" in out
    assert out.endswith("verified: every file of the share is on the file system\n")


def test_what_is_not_loaded_fails_the_task(world: Path) -> None:
    stuck = "data@part-1@file 1.bin"
    (world / "stuck" / stuck).touch()
    code, report = run(world)
    assert (code, report["complete"], report["loaded_files"]) == (1, False, 39)
    assert report["not_loaded"] == [f"{world}/fsx/data/part-1/file 1.bin"]
    assert report["reason"].startswith("1 files are only in S3, such as ")


def test_a_refusal_names_the_other_method(world: Path) -> None:
    (world / "refuse").touch()
    code, report = run(world)
    assert code == 1
    assert report["reason"].endswith(
        "Operation not permitted: render the job with --set method=read"
    )
    # The stub does not load what is read, as Lustre does: the verification sees that.
    code, report = run(world, 0, 1, "--method=read")
    assert (code, report["loaded_files"], len(report["not_loaded"])) == (1, 0, 20)
    assert report["reason"].startswith("40 files are only in S3")


def test_a_file_system_that_would_be_full(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = SimpleNamespace(f_bavail=6, f_frsize=100, f_blocks=100)
    monkeypatch.setattr(stage.os, "statvfs", lambda _path: full)
    code, report = run(world)
    assert code == 1
    assert "would leave less than 5% of the file system free" in report["reason"]
    assert len(list((world / "released").iterdir())) == 40


def test_a_folder_that_does_not_exist(world: Path) -> None:
    (world / "fsx/data").rename(world / "fsx/other")
    code, report = run(world)
    assert code == 1
    assert "does not exist: has the association imported it?" in report["reason"]
