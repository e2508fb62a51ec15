"""Copy the runs of several users at once, each as its owner and within a time limit.

A user can stop every process of their own (SIGSTOP), and a copy can hang in a file system that
does not answer. So a user's copies wait for that user's copies only: each owner has one thread,
each run a process that ends at its limit, and an owner whose process cannot be ended gets no
further one.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Callable

MOST_BYTES = 256 * 1024
"""Output of one copy that is read: its process belongs to the user."""
_LONGEST_TEXT = 2000
_FIELDS = ("time", "event", "checkpoint", "text")
_READERS_SECONDS = 5.0

Command = Callable[[Path], Sequence[str]]
Report = Callable[[str, str, str], None]
"""Called with an event, a run and a text."""


class Owners:
    """Copies in progress, by owner."""

    def __init__(self, command: Command, limit_seconds: float, report: Report) -> None:
        self._command = command
        self._limit_seconds = limit_seconds
        self._report = report
        self._threads: dict[int, threading.Thread] = {}
        self._failed: set[int] = set()

    def start(self, runs: Sequence[Path]) -> None:
        """Start to copy the runs of every owner whose last copies have ended."""
        for uid, own in _by_owner(runs).items():
            thread = self._threads.get(uid)
            if thread is not None and thread.is_alive():
                continue
            self._failed.discard(uid)
            thread = threading.Thread(target=self._copy, args=(uid, own), daemon=True)
            self._threads[uid] = thread
            thread.start()

    def wait(self, until: float) -> int:
        """Wait for the copies, at most until this monotonic time; return 1 if one failed or did
        not end.
        """
        for thread in self._threads.values():
            thread.join(max(0.0, until - time.monotonic()))
        late = any(thread.is_alive() for thread in self._threads.values())
        return 1 if late or self._failed else 0

    def _copy(self, uid: int, runs: Sequence[Path]) -> None:
        for run in runs:
            try:
                failed = self._copy_run(run)
            except OSError as error:
                self._report("refused", run.name, str(error))
                failed = True
            if failed:
                self._failed.add(uid)

    def _copy_run(self, run: Path) -> bool:
        owner = run.lstat()
        process = _started(self._command(run), owner.st_uid, owner.st_gid)
        output, errors = _Reader(process.stdout), _Reader(process.stderr)
        late = False
        try:
            process.wait(self._limit_seconds)
        except subprocess.TimeoutExpired:
            late = True
            text = f"did not end within {self._limit_seconds:g} s and was ended; it is repeated"
            self._report("refused", run.name, text)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()  # as long as it hangs in the kernel: this thread is its owner's alone
        for row in _events(output.text()):
            print(json.dumps(row), flush=True)
        if not late and process.returncode not in (0, 1):
            lines = errors.text().strip().splitlines() or ["no reason"]
            self._report("refused", run.name, lines[-1][:_LONGEST_TEXT])
        return late or process.returncode != 0


def _by_owner(runs: Sequence[Path]) -> dict[int, list[Path]]:
    found: dict[int, list[Path]] = {}
    for run in runs:
        with contextlib.suppress(FileNotFoundError):
            found.setdefault(run.lstat().st_uid, []).append(run)
    return found


def _started(argv: Sequence[str], uid: int, gid: int) -> subprocess.Popen[str]:
    """A process of the owner of the run: root must not follow a user's links."""
    folder = str(Path(__file__).parents[1])
    as_user = (
        {"user": uid, "group": gid, "extra_groups": []} if os.geteuid() == 0 and uid != 0 else {}
    )
    return subprocess.Popen(
        [sys.executable, "-B", "-m", "clusterwright_checkpoints", *argv],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": folder, "LC_ALL": "C.UTF-8"},
        cwd="/",
        umask=0o022,
        start_new_session=True,
        **as_user,  # type: ignore[call-overload]
    )


class _Reader:
    """Reads a pipe to its end, so that the writer never waits, and keeps its beginning."""

    def __init__(self, pipe: IO[str] | None) -> None:
        assert pipe is not None, "see _started"
        self._pipe = pipe
        self._kept: list[str] = []
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def text(self) -> str:
        # A process that the user left behind may hold the pipe open.
        self._thread.join(_READERS_SECONDS)
        return "".join(self._kept)

    def _read(self) -> None:
        size = 0
        with contextlib.suppress(OSError, ValueError):
            for chunk in iter(lambda: self._pipe.read(8192), ""):
                if size < MOST_BYTES:
                    self._kept.append(chunk)
                size += len(chunk)


def _events(text: str) -> Iterator[dict[str, str]]:
    """The events in the output of a copy; the user may have written anything else into it."""
    for line in text.splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict) and all(isinstance(row.get(key), str) for key in _FIELDS):
            yield {key: row[key][:_LONGEST_TEXT] for key in _FIELDS}
