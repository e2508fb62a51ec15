"""Evidence in files that the user has: logs copied from nodes, outputs of jobs, sacct."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final

from clusterwright.diagnosis import sacct, scheduler
from clusterwright.diagnosis.early_lines import MOST_LINES, EarlyLines
from clusterwright.diagnosis.log_lines import Line, Place, evidence
from clusterwright.diagnosis.model import Evidence, Target

MAXIMUM_FILES: Final = 500
MAXIMUM_BYTES: Final = 16 * 1024 * 1024
"""Of one file, its end; of what stands before it only lines that may report something are kept."""
MAXIMUM_SACCT_BYTES: Final = 256 * 1024 * 1024

_BLOCK: Final = 1024 * 1024
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
    for log in whole(paths):
        file = log.file
        job, note = _job(file.name, asked), ""
        if asked and not scheduler.same_job(job, asked):
            # Slurm names the file of a task by its array: that of the job 15 is slurm-12_3.out.
            note = (
                f", read as those of the job {asked}" if file in paths else f", of the job {job}"
            )
            job = asked if file in paths else job
        early = EarlyLines()
        place = Place(str(file), str(file), node=node, job=job)
        found += evidence(log, place, early.keeps)
        read.append(f"{file}: {log.count} lines{_left_out(log, early)}{note}")
    return found, read


class Log:
    """A log file, whose lines are read while it is iterated; `count` is then their number."""

    def __init__(self, file: Path, end: list[Line], early_bytes: int) -> None:
        self.file = file
        self.early_bytes = early_bytes
        self.count = 0
        self._end = end

    def __iter__(self) -> Iterator[Line]:
        number = 0
        for number, text in enumerate(self._early(), start=1):
            yield Line(text, number, early=True)
        for line in self._end:
            yield replace(line, number=number + line.number) if number else line
        self.count = number + len(self._end)

    def _early(self) -> Iterator[str]:
        left = self.early_bytes
        if not left:
            return
        try:
            with self.file.open("rb") as stream:
                while left > 0:
                    block = stream.read(min(_BLOCK, left))
                    block += stream.readline(min(_BLOCK, left - len(block)))
                    if not block:
                        return
                    left -= len(block)
                    yield from _decoded(block).replace("\0", "").splitlines()
        except OSError as error:
            raise _unreadable(self.file, error) from None


def whole(paths: tuple[Path, ...]) -> Iterator[Log]:
    """The text files among the paths and in folders, with all their lines.

    Raises
    ------
    LogFileError
        A path does not exist, cannot be read, or has no text.
    """
    for file, content, start in _ends(paths):
        yield Log(file, content, start)


def texts(paths: tuple[Path, ...]) -> Iterator[tuple[Path, list[Line]]]:
    """The text files among the paths and in folders, with the lines of their end.

    Raises
    ------
    LogFileError
        A path does not exist, cannot be read, or has no text.
    """
    for file, content, _ in _ends(paths):
        yield file, content


def _ends(paths: tuple[Path, ...]) -> Iterator[tuple[Path, list[Line], int]]:
    """The text files, with the lines of their end and the byte at which it begins."""
    for path in paths:
        is_text = False
        for file in _files(path):
            content, start = _end(file)
            found = lines(_decoded(content))
            if found is not None:
                is_text = True
                yield file, found, start
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


def _left_out(log: Log, early: EarlyLines) -> str:
    """What of a long file was not kept."""
    if not log.early_bytes:
        return ""
    end = MAXIMUM_BYTES / 2**20
    text = f" (all of the last {end:.0f} MiB; before them those that may report a failure"
    if early.without_room:
        text += f", without {early.without_room} that follow the first {MOST_LINES}"
    return f"{text})"


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


def _end(file: Path) -> tuple[bytes, int]:
    """The end of a file, and the byte at which it begins: in a long file that of a line."""
    try:
        with file.open("rb") as stream:
            size = stream.seek(0, 2)
            start = max(0, size - MAXIMUM_BYTES)
            stream.seek(start)
            content = stream.read(MAXIMUM_BYTES)
    except OSError as error:
        raise _unreadable(file, error) from None
    first = content.find(b"\n") + 1 if start else 0
    return content[first:], start + first


def _decoded(content: bytes) -> str:
    return content.decode("utf-8", errors="replace")


def _unreadable(path: Path, error: OSError) -> LogFileError:
    reason = error.strerror or "it cannot be read"
    return LogFileError(f"--log: {path} cannot be read: {reason}", reason=reason)
