"""Evidence in files of the user."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.diagnosis import log_files
from clusterwright.diagnosis.model import Target


def test_folder_of_logs_with_jobs_in_their_names(tmp_path: Path) -> None:
    (tmp_path / "slurm-77.out").write_text("0: CUDA out of memory\n")
    (tmp_path / "dmesg.txt").write_text("x\n")
    (tmp_path / "binary").write_bytes(b"\0\1")
    found, read = log_files.logs((tmp_path,), Target("node", "w-1"))
    assert [(e.text, e.job, e.node) for e in found] == [
        ("x", "", "w-1"),
        ("CUDA out of memory", "77", "w-1"),
    ]
    assert read == [f"{tmp_path}/dmesg.txt: 1 lines", f"{tmp_path}/slurm-77.out: 1 lines"]


def test_end_of_a_long_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_files, "MAXIMUM_BYTES", 10)
    (tmp_path / "a.log").write_text("first line\nlast one\n")
    found, _ = log_files.logs((tmp_path / "a.log",), Target())
    assert [e.text for e in found] == ["last one"]


def test_what_cannot_be_read_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(log_files.LogFileError, match="does not exist"):
        log_files.logs((tmp_path / "no",), Target())
    wrong = tmp_path / "jobs.json"
    wrong.write_text("hello")
    with pytest.raises(log_files.LogFileError, match="neither JSON nor a table"):
        log_files.accounting(wrong)


def test_accounting(tmp_path: Path) -> None:
    file = tmp_path / "jobs.txt"
    file.write_text("JobID|State|ExitCode\n7|OUT_OF_MEMORY|0:125\n8|COMPLETED|0:0\n")
    found, read = log_files.accounting(file)
    assert [(e.job, e.text) for e in found] == [("7", "OUT_OF_MEMORY exit 0:125")]
    assert read == f"{file}: 2 jobs"
