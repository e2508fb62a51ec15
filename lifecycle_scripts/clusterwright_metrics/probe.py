"""What the sources see of the machine. Nothing here waits longer than it is told."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SEARCH_PATH = (
    "/opt/slurm/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    ":/opt/aws/neuron/bin"
)


class Unanswered(Exception):
    """A surface that is there, and does not say what it should; the text says what it said."""


@dataclass(frozen=True)
class Space:
    """Of a file system, in bytes and inodes; `available` is what users may take."""

    size_bytes: float
    available_bytes: float
    files: float
    files_free: float


class Probe:
    """Reads files below `root` and runs commands, until the deadline of this scrape."""

    def __init__(
        self, root: str = "/", deadline_seconds: float = 8.0, search_path: str = SEARCH_PATH
    ) -> None:
        self._root = Path(root)
        self._search_path = search_path
        self._ends = time.monotonic() + deadline_seconds

    def seconds_left(self) -> float:
        return max(0.0, self._ends - time.monotonic())

    def path(self, path: str) -> Path:
        return self._root / path.lstrip("/")

    def read(self, path: str) -> str | None:
        """A file's text; None where there is none, or the kernel has no value for it."""
        try:
            return self.path(path).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None

    def names(self, folder: str) -> list[str]:
        """Sorted names in a folder; none where there is no folder."""
        try:
            return sorted(entry.name for entry in self.path(folder).iterdir())
        except OSError:
            return []

    def is_folder(self, path: str) -> bool:
        return self.path(path).is_dir()

    def has(self, command: str) -> bool:
        return shutil.which(command, path=self._search_path) is not None

    def said(self, argv: Sequence[str], timeout_seconds: float = 5.0) -> str:
        """What a command prints.

        Raises
        ------
        Unanswered
            It failed, or did not end in time; then it is killed with all that it started.
        """
        limit = min(timeout_seconds, self.seconds_left())
        if limit <= 0:
            raise Unanswered(f"no time is left for {argv[0]}")
        try:
            process = subprocess.Popen(
                list(argv),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                env={**os.environ, "PATH": self._search_path, "LC_ALL": "C"},
                start_new_session=True,
            )
        except OSError as error:
            raise Unanswered(f"{argv[0]}: {error}") from None
        try:
            stdout, stderr = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            _kill(process)
            raise Unanswered(f"{argv[0]} did not answer within {limit:.1f} s") from None
        if process.returncode != 0:
            last = (stderr.strip() or stdout.strip()).splitlines()
            raise Unanswered(
                f"{argv[0]} exited {process.returncode}: {last[-1][:120] if last else 'no output'}"
            )
        return stdout

    def space(self, path: str, *, is_remote: bool) -> Space | None:
        """Room of the file system at `path`; None where it does not say.

        One on another machine is asked in a process of its own: a server that is gone holds the
        caller in the kernel.
        """
        if is_remote:
            try:
                words = self.said(
                    ["stat", "--file-system", "--format=%S %b %a %c %d", str(self.path(path))]
                ).split()
                block, blocks, available, files, free = (float(word) for word in words)
            except (Unanswered, ValueError):
                return None
            return Space(block * blocks, block * available, files, free)
        try:
            found = os.statvfs(self.path(path))
        except OSError:
            return None
        return Space(
            float(found.f_frsize * found.f_blocks),
            float(found.f_frsize * found.f_bavail),
            float(found.f_files),
            float(found.f_ffree),
        )


def _kill(process: subprocess.Popen[str]) -> None:
    """Not waited for: a process in the kernel's hands cannot be ended."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        process.kill()
