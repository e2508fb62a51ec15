"""Evidence in files of the user."""

from __future__ import annotations

import os
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


def test_of_a_long_file_the_early_lines_that_report_something_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_files, "MAXIMUM_BYTES", 2**20)
    file = tmp_path / "a.log"
    end = "x" * (2**20 - 17) + "\nlast one\n"
    file.write_text("step 1\nCUDA out of memory\n" + "step 2\n" * 30 + end)
    found, (read,) = log_files.logs((file,), Target())
    assert [(e.text[:40], e.id, e.left_out) for e in found] == [
        ("CUDA out of memory", f"{file}:2", 1),
        ("x" * 40, f"{file}:33", 30),
        ("last one", f"{file}:34", 0),
    ]
    assert read == (
        f"{file}: 34 lines (all of the last 1 MiB; before them those that may report a failure)"
    )


def test_lines_at_the_border_are_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end of a long file begins with a whole line, also where a letter has several bytes."""
    file = tmp_path / "a.log"
    texts = [f"\u03b1 step {number}" for number in range(40)]
    file.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    monkeypatch.setattr(log_files, "_BLOCK", 50)
    for maximum in range(100, 112):
        monkeypatch.setattr(log_files, "MAXIMUM_BYTES", maximum)
        (log,) = log_files.whole((file,))
        lines = list(log)
        assert [(line.text, line.number) for line in lines] == list(
            zip(texts, range(1, 41), strict=True)
        )
        assert 0 < sum(not line.early for line in lines) <= 10
        assert log.count == 40


@pytest.mark.parametrize(
    ("name", "asked", "job"),
    [
        ("slurm-12_3.out", "12_3", "12_3"),
        ("slurm-12_3.out", "12", "12_3"),
        ("slurm-12_4.out", "12_3", "12_3"),
        ("slurm-12_3.out", "15", "15"),
        ("slurm-12.out", "12_3", "12_3"),
        ("slurm-12.out", "12+1", "12+1"),
        ("slurm-12.0.out", "12", "12"),
        ("slurm-13.out", "12", "12"),
        ("train.log", "12", "12"),
    ],
)
def test_job_of_a_file(tmp_path: Path, name: str, asked: str, job: str) -> None:
    (tmp_path / name).write_text("x\n")
    (found,), _ = log_files.logs((tmp_path / name,), Target("job", asked))
    assert found.job == job


def test_the_read_lines_say_whose_a_file_is(tmp_path: Path) -> None:
    """15 is the raw id of the task 12_3, which no file name has."""
    file, other = tmp_path / "slurm-12_3.out", tmp_path / "slurm-16.out"
    file.write_text("x\n")
    other.write_text("y\n")
    _, (named,) = log_files.logs((file,), Target("job", "15"))
    assert named == f"{file}: 1 lines, read as those of the job 15"
    found, read = log_files.logs((tmp_path,), Target("job", "15"))
    assert [one.job for one in found] == ["12_3", "16"]
    assert read == [f"{file}: 1 lines, of the job 12_3", f"{other}: 1 lines, of the job 16"]


def test_reason_is_without_the_option_and_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path may have the separator."""
    (tmp_path / "a: b").write_bytes(b"\0")
    with pytest.raises(log_files.LogFileError) as refused:
        log_files.logs((tmp_path / "a: b",), Target())
    assert refused.value.reason == "no text"
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr(log_files, "MAXIMUM_FILES", 0)
    for path, reason in (
        (tmp_path / "no", "it does not exist"),
        (tmp_path / "pipe", "it is neither a file nor a folder"),
        (tmp_path, "it has more than 0 files"),
    ):
        with pytest.raises(log_files.LogFileError) as unusable:
            log_files.logs((path,), Target())
        assert unusable.value.reason == reason


def test_gap_of_a_file_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "a.log"
    file.write_bytes(b"first\n" + b"\0" * 9 + b"last\n")
    found, _ = log_files.logs((file,), Target())
    assert [e.text for e in found] == ["first", "last"]


def test_what_has_no_text_is_wrong_use(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "empty").mkdir()
    (tmp_path / "binary").write_bytes(b"\x7fELF\0\1")
    (tmp_path / "zeros").write_bytes(b"\0" * 9)
    for name in ("empty", "binary", "zeros"):
        with pytest.raises(log_files.LogFileError, match="no text"):
            log_files.logs((tmp_path / name,), Target())
    with pytest.raises(log_files.LogFileError, match="neither a file nor a folder"):
        log_files.logs((tmp_path / "pipe",), Target())


def test_closed_folder_is_wrong_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "stat", refuse)
    with pytest.raises(log_files.LogFileError, match="cannot be read: Permission denied"):
        log_files.logs((tmp_path / "x",), Target())


def test_a_walk_ends_at_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_files, "MAXIMUM_FILES", 2)
    for name in "abcd":
        (tmp_path / name).write_text("x")
    with pytest.raises(log_files.LogFileError, match="has more than 2 files"):
        log_files.logs((tmp_path,), Target())


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
