"""What the checks see of the machine. Nothing here waits longer than it is told."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SEARCH_PATH = (
    "/opt/slurm/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:"
    "/opt/aws/neuron/bin"
)


@dataclass(frozen=True)
class Answer:
    """What a command said. `exit_code` is None where it did not end in time."""

    exit_code: int | None
    stdout: str
    stderr: str

    @property
    def ok(self) -> bool:
        return self.exit_code == 0

    @property
    def said(self) -> str:
        """Its last line in short, for a reason."""
        if self.exit_code is None:
            return "no answer in time"
        lines = (self.stderr.strip() or self.stdout.strip()).splitlines()
        return lines[-1][:120] if lines else f"exit code {self.exit_code}"


class Probe:
    """Reads files below `root` and runs commands until `deadline_seconds` from now."""

    def __init__(
        self,
        root: str = "/",
        deadline_seconds: float = 50.0,
        search_path: str = SEARCH_PATH,
    ) -> None:
        self._root = Path(root)
        self._search_path = search_path
        self._ends = time.monotonic() + deadline_seconds

    def seconds_left(self) -> float:
        return max(0.0, self._ends - time.monotonic())

    def path(self, path: str) -> Path:
        return self._root / path.lstrip("/")

    def read(self, path: str) -> str | None:
        try:
            return self.path(path).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None

    def names(self, folder: str) -> list[str]:
        try:
            return sorted(entry.name for entry in self.path(folder).iterdir())
        except OSError:
            return []

    def exists(self, path: str) -> bool:
        return self.path(path).exists()

    def has(self, command: str) -> bool:
        return shutil.which(command, path=self._search_path) is not None

    def run(self, argv: Sequence[str], timeout_seconds: float = 15.0) -> Answer:
        """What the command says; never waits longer than told, not even for a dead mount."""
        limit = min(timeout_seconds, self.seconds_left())
        if limit <= 0:
            return Answer(None, "", "")
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
            return Answer(127, "", str(error))
        try:
            stdout, stderr = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            # Not waited for: a process in the kernel's hands cannot be ended.
            process.kill()
            return Answer(None, "", "")
        return Answer(process.returncode, stdout, stderr)
