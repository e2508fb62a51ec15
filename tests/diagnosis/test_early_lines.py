"""The lines of a long log before its end: none that a finding needs is left out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from clusterwright.diagnosis import engine, log_files
from clusterwright.diagnosis.early_lines import EarlyLines
from clusterwright.diagnosis.model import Evidence, Finding, Target
from tests.diagnosis.made import item

PROGRESS = "".join(
    f"iteration {n}/ 500000 | lm loss: {n / 7:.4f} | nan iterations: 0\n" for n in range(60)
)
TRACEBACK = """\
[rank3]: Traceback (most recent call last):
[rank3]:   File "/fsx/train.py", line 3, in main
[rank3]:     load(path)
[rank3]: OSError: [Errno 28] No space left on device: '/fsx/ckpt'
"""
STOPPED = "Nov 23 10:00:01 w-2 slurmd[9]: error: cannot write: No space left on device\n"
UNKNOWN = "myprog: error: the disk quota is used up\n"
CROSS = "myprog: error: cannot open the gizmo\n"
OVER = "w-1 kernel: LustreError: fs-OST1: cannot connect to 10.0.0.1@tcp\nLustre: Connection restored to fs\n"


def judged(file: Path) -> tuple[int, list[Finding]]:
    evidence, _ = log_files.logs((file,), Target())

    def plain(line: Evidence) -> Evidence:
        return replace(line, left_out=0)

    found = engine.findings(evidence, engine.Context("c.yaml"))
    return len(evidence), [replace(f, evidence=tuple(map(plain, f.evidence))) for f in found]


@pytest.mark.parametrize(
    "text",
    [
        TRACEBACK + PROGRESS,
        PROGRESS + STOPPED + PROGRESS + TRACEBACK + PROGRESS,
        OVER + PROGRESS,
        # Runs of errors of which no signature has the message: 60 lines are between them.
        UNKNOWN + PROGRESS + CROSS + PROGRESS + CROSS,
        UNKNOWN + CROSS + PROGRESS + UNKNOWN + CROSS,
    ],
)
def test_findings_are_those_of_the_whole_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    file = tmp_path / "slurm-7.out"
    file.write_text(text)
    count, whole = judged(file)
    monkeypatch.setattr(log_files, "MAXIMUM_BYTES", 300)
    fewer, found = judged(file)
    assert found == whole
    assert fewer < count / 3


def test_the_first_line_of_a_node_shows_that_it_exists() -> None:
    early = EarlyLines()
    line = item("log", "Started Session 3", node="w-1")
    assert [early.keeps(line), early.keeps(line)] == [True, False]


def test_lines_without_room_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    early = EarlyLines(most=1)
    texts = ("step 1", "CUDA out of memory", "CUDA out of memory", "step 2")
    assert [early.keeps(item("log", text)) for text in texts] == [False, True, False, False]
    assert early.without_room == 1
    monkeypatch.setattr(log_files, "EarlyLines", lambda: EarlyLines(most=0))
    monkeypatch.setattr(log_files, "MAXIMUM_BYTES", 300)
    (tmp_path / "a.log").write_text(TRACEBACK + PROGRESS)
    _, (read,) = log_files.logs((tmp_path / "a.log",), Target())
    assert read.endswith("may report a failure, without 1 that follow the first 50000)")
