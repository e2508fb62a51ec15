"""Evidence in files that the user has: logs copied from nodes, outputs of jobs, sacct."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from clusterwright.diagnosis import sacct, scheduler
from clusterwright.diagnosis.log_lines import Line, Place, evidence
from clusterwright.diagnosis.model import Evidence, Target

MAXIMUM_FILES: Final = 500
MAXIMUM_BYTES: Final = 16 * 1024 * 1024
"""Of one file, its end."""
MAXIMUM_SACCT_BYTES: Final = 256 * 1024 * 1024

_JOB_FILE: Final = re.compile(r"(?:slurm|job)[-_.](\d+)(?:[._]\d+)?\.(?:out|err|log)$")


class LogFileError(Exception):
    """A file that the user named cannot be used; `hint` says what to do, if it is known."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


def logs(paths: tuple[Path, ...], target: Target) -> tuple[list[Evidence], list[str]]:
    """The evidence in files and folders, and what was read.

    Lines of a question about a node or a job that name no node are about that node or job.

    Raises
    ------
    LogFileError
        A path does not exist or cannot be read.
    """
    found: list[Evidence] = []
    read: list[str] = []
    for file, lines in texts(paths):
        named = _JOB_FILE.search(file.name)
        job = named.group(1) if named else ""
        place = Place(
            str(file),
            str(file),
            node=target.name if target.subject == "node" else "",
            job=job or (target.name if target.subject == "job" else ""),
        )
        found += evidence(lines, place)
        read.append(f"{file}: {len(lines)} lines")
    return found, read


def texts(paths: tuple[Path, ...]) -> Iterator[tuple[Path, list[Line]]]:
    """The text files among the paths and in folders, with the lines of their end.

    Raises
    ------
    LogFileError
        A path does not exist or cannot be read.
    """
    for path in paths:
        for file in _files(path):
            lines = _lines(file)
            if lines is not None:
                yield file, lines


def accounting(path: Path) -> tuple[list[Evidence], str]:
    """The jobs of a file of sacct that failed, and what was read.

    Raises
    ------
    LogFileError
        The file cannot be read, or is not sacct's.
    """
    try:
        with path.open("rb") as stream:
            content = stream.read(MAXIMUM_SACCT_BYTES)
        jobs = sacct.jobs(content.decode("utf-8", errors="replace"))
    except OSError as error:
        raise LogFileError(f"--sacct: {path} cannot be read: {error.strerror}") from None
    except sacct.SacctError as error:
        raise LogFileError(
            f"--sacct: {path}: {error}", f"write it with `sacct --json --allusers > {path}`"
        ) from None
    found = [item for job in jobs for item in scheduler.of_ended(job, str(path))]
    return found, f"{path}: {len(jobs)} jobs"


def _files(path: Path) -> Iterator[Path]:
    if not path.exists():
        raise LogFileError(f"--log: {path} does not exist")
    if path.is_file():
        yield path
        return
    files = sorted(file for file in path.rglob("*") if file.is_file())
    if len(files) > MAXIMUM_FILES:
        raise LogFileError(
            f"--log: {path} has {len(files):,} files, at most {MAXIMUM_FILES} are read",
            "name the files, or a smaller folder",
        )
    yield from files


def _lines(file: Path) -> list[Line] | None:
    """The lines of a file's end; None for a file that is not text."""
    try:
        with file.open("rb") as stream:
            size = stream.seek(0, 2)
            stream.seek(max(0, size - MAXIMUM_BYTES))
            content = stream.read(MAXIMUM_BYTES)
    except OSError as error:
        raise LogFileError(f"--log: {file} cannot be read: {error.strerror}") from None
    if b"\0" in content[:4096]:
        return None
    text = content.decode("utf-8", errors="replace")
    return [Line(line, number) for number, line in enumerate(text.splitlines(), start=1)]
