"""Evidence in files that the user has: logs copied from nodes, outputs of jobs, sacct."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from clusterwright.diagnosis import sacct, scheduler
from clusterwright.diagnosis.log_lines import Line, Place, evidence
from clusterwright.diagnosis.model import Evidence, Target

MAXIMUM_FILES: Final = 500
MAXIMUM_BYTES: Final = 16 * 1024 * 1024
"""Of one file, its end."""
MAXIMUM_SACCT_BYTES: Final = 256 * 1024 * 1024

_JOB_FILE: Final = re.compile(r"(?:slurm|job)[-_.](\d+(?:_\d+)?)(?:\.\d+)?\.(?:out|err|log)$")
_NOT_TEXT: Final = re.compile(r"[\x01-\x06\x0e-\x1a\x1c-\x1f]")


class LogFileError(Exception):
    """A file that the user named cannot be used.

    `reason` is why, without the option and the path; `hint` says what to do, if it is known.
    """

    def __init__(self, message: str, hint: str | None = None, *, reason: str = "") -> None:
        super().__init__(message)
        self.hint = hint
        self.reason = reason or message


def logs(paths: tuple[Path, ...], target: Target) -> tuple[list[Evidence], list[str]]:
    """The evidence in files and folders, and what was read.

    Lines of a question about a node or a job that name no node are about that node or job. A file
    that is named itself is about the job that is asked for, whatever its name says; in a folder
    the name decides, because there are files of others too.

    Raises
    ------
    LogFileError
        A path does not exist or cannot be read.
    """
    found: list[Evidence] = []
    read: list[str] = []
    asked = target.name if target.subject == "job" else ""
    node = target.name if target.subject == "node" else ""
    for file, content in texts(paths):
        job, note = _job(file.name, asked), ""
        if asked and not scheduler.same_job(job, asked):
            # Slurm names the file of a task by its array: that of the job 15 is slurm-12_3.out.
            note = (
                f", read as those of the job {asked}" if file in paths else f", of the job {job}"
            )
            job = asked if file in paths else job
        found += evidence(content, Place(str(file), str(file), node=node, job=job))
        read.append(f"{file}: {len(content)} lines{_part(file)}{note}")
    return found, read


def texts(paths: tuple[Path, ...]) -> Iterator[tuple[Path, list[Line]]]:
    """The text files among the paths and in folders, with the lines of their end.

    Raises
    ------
    LogFileError
        A path does not exist, cannot be read, or has no text.
    """
    for path in paths:
        is_text = False
        for file in _files(path):
            found = _lines(file)
            if found is not None:
                is_text = True
                yield file, found
        if not is_text:
            raise LogFileError(f"--log: {path}: no text", reason="no text")


def lines(text: str) -> list[Line] | None:
    """The lines of a text; None for what is none.

    NULs are left out: logs have them after a hard reset, and where nodes append to one over NFS.
    """
    plain = text.replace("\0", "")
    if plain != text and (not plain or _NOT_TEXT.search(plain)):
        return None
    return [Line(line, number) for number, line in enumerate(plain.splitlines(), start=1)]


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


def _part(file: Path) -> str:
    """That only the end of a file was read, if it was; a cause may stand before it."""
    size = file.stat().st_size
    if size <= MAXIMUM_BYTES:
        return ""
    return f" (the last {MAXIMUM_BYTES / 2**20:.0f} of {size / 2**20:.0f} MiB)"


def _job(name: str, asked: str) -> str:
    """The job that a file's name has, else `asked`, also where the name has `asked`'s array."""
    found = _JOB_FILE.search(name)
    return asked if found is None or scheduler.same_job(asked, found[1]) else found[1]


def _files(path: Path) -> Iterator[Path]:
    try:
        mode = path.stat().st_mode
        if stat.S_ISREG(mode):
            yield path
            return
        if not stat.S_ISDIR(mode):
            raise LogFileError(
                f"--log: {path} is neither a file nor a folder",
                "write it to a file first",
                reason="it is neither a file nor a folder",
            )
        inside = (file for file in path.rglob("*") if file.is_file())
        files = sorted(islice(inside, MAXIMUM_FILES + 1))
    except FileNotFoundError:
        raise LogFileError(f"--log: {path} does not exist", reason="it does not exist") from None
    except OSError as error:
        raise _unreadable(path, error) from None
    if len(files) > MAXIMUM_FILES:
        raise LogFileError(
            f"--log: {path} has more than {MAXIMUM_FILES} files",
            "name the files, or a smaller folder",
            reason=f"it has more than {MAXIMUM_FILES} files",
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
        raise _unreadable(file, error) from None
    return lines(content.decode("utf-8", errors="replace"))


def _unreadable(path: Path, error: OSError) -> LogFileError:
    reason = error.strerror or "it cannot be read"
    return LogFileError(f"--log: {path} cannot be read: {reason}", reason=reason)
