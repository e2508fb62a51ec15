"""Read a machine's files and run commands within a deadline."""

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
    "/opt/slurm/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:"
    "/opt/aws/neuron/bin"
)


class ProbeError(Exception):
    """The output of a command or file cannot be used; the message contains it."""


@dataclass(frozen=True)
class CommandResult:
    """The result of a command. `exit_code` is None if the command did not end in time."""

    exit_code: int | None
    stdout: str
    stderr: str

    @property
    def ok(self) -> bool:
        return self.exit_code == 0

    @property
    def summary(self) -> str:
        """The last line of the output, at most 120 characters."""
        if self.exit_code is None:
            return "no response in time"
        lines = (self.stderr.strip() or self.stdout.strip()).splitlines()
        return lines[-1][:120] if lines else f"exit code {self.exit_code}"


@dataclass(frozen=True)
class Space:
    """Space of a file system, in bytes and inodes; `available_bytes` is for users, not root."""

    size_bytes: float
    available_bytes: float
    files: float
    files_free: float


class Probe:
    """Reads files below `root` and runs commands until `deadline_seconds` from now."""

    def __init__(
        self, root: str = "/", deadline_seconds: float = 50.0, search_path: str = SEARCH_PATH
    ) -> None:
        self._root = Path(root)
        self._search_path = search_path
        self._ends = time.monotonic() + deadline_seconds

    def seconds_left(self) -> float:
        return max(0.0, self._ends - time.monotonic())

    def with_time(self, deadline_seconds: float) -> Probe:
        """A probe of the same machine with another deadline, to clean up after the first."""
        return Probe(str(self._root), deadline_seconds, self._search_path)

    def path(self, path: str) -> Path:
        return self._root / path.lstrip("/")

    def read(self, path: str) -> str | None:
        """The text of a file; None if there is no file or the kernel has no value for it."""
        try:
            return self.path(path).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None

    def names(self, folder: str) -> list[str]:
        """Sorted names in a folder; empty if there is no folder."""
        try:
            return sorted(entry.name for entry in self.path(folder).iterdir())
        except OSError:
            return []

    def exists(self, path: str) -> bool:
        return self.path(path).exists()

    def is_folder(self, path: str) -> bool:
        return self.path(path).is_dir()

    def has(self, command: str) -> bool:
        return shutil.which(command, path=self._search_path) is not None

    def run(
        self, argv: Sequence[str], timeout_seconds: float = 15.0, ending_seconds: float = 0.0
    ) -> CommandResult:
        """Run a command; kill it, with all that it started, when its time is over.

        With `ending_seconds` it is asked to end first, by SIGTERM, and killed after that time; the
        result then has its standard output until then.
        The call returns in time even if the command hangs on a mount whose server is gone.
        """
        limit = min(timeout_seconds, self.seconds_left())
        if limit <= 0:
            return CommandResult(None, "", f"no time is left for {argv[0]}")
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
            return CommandResult(127, "", str(error))
        try:
            stdout, stderr = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            stdout = _end(process, ending_seconds)
            return CommandResult(None, stdout, f"{argv[0]} did not respond within {limit:.1f} s")
        return CommandResult(process.returncode, stdout, stderr)

    def output(self, argv: Sequence[str], timeout_seconds: float = 5.0) -> str:
        """Run a command and return its standard output.

        Raises
        ------
        ProbeError
            The command failed, or did not end in time.
        """
        result = self.run(argv, timeout_seconds)
        if result.exit_code is None:
            raise ProbeError(result.stderr)
        if not result.ok:
            lines = result.stderr.strip() or result.stdout.strip()
            last = result.summary if lines else "no output"
            raise ProbeError(f"{argv[0]} exited {result.exit_code}: {last}")
        return result.stdout

    def space(self, path: str, *, is_remote: bool) -> Space | None:
        """Space of the file system at `path`; None if it cannot be read.

        A remote file system is read in a separate process: a call to a server that is gone
        blocks in the kernel.
        """
        if is_remote:
            try:
                words = self.output(
                    ["stat", "--file-system", "--format=%S %b %a %c %d", str(self.path(path))]
                ).split()
                block, blocks, available, files, free = (float(word) for word in words)
            except (ProbeError, ValueError):
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


def _end(process: subprocess.Popen[str], seconds: float) -> str:
    """Kill at last, without waiting: a process that is blocked in the kernel does not end."""
    found: str | bytes | None = None
    if seconds > 0:
        _signal(process, signal.SIGTERM)
        try:
            found, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired as error:
            found = error.output
    _signal(process, signal.SIGKILL)
    # What came before a time-out is not decoded.
    return found.decode(errors="replace") if isinstance(found, bytes) else found or ""


def _signal(process: subprocess.Popen[str], number: signal.Signals) -> None:
    """To the process and all that it started."""
    try:
        os.killpg(process.pid, number)
    except OSError:
        process.send_signal(number)
