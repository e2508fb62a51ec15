"""One JSON line per event, to a file and to standard output, which HyperPod streams to CloudWatch
Logs.
"""

from __future__ import annotations

import contextlib
import json
import os
from typing import Any, TextIO

from clusterwright_node.machine import Machine

LOG = "/var/log/clusterwright/node.jsonl"


class Log:
    """Appends events. A line is one write, and an incomplete last line of an earlier run is
    ended first.
    """

    def __init__(self, machine: Machine, stream: TextIO, run: str) -> None:
        self._machine = machine
        self._stream = stream
        self._run = run
        self._broken = False
        self.node = machine.hostname()
        self.group: str | None = None
        self._handle: int | None = None
        self._handle = self._open()

    def event(self, event: str, **fields: Any) -> None:
        line: dict[str, Any] = {
            "time": self._machine.timestamp(),
            "event": event,
            "run": self._run,
            "node": self.node,
            "group": self.group,
        }
        line.update(fields)
        self._write(json.dumps(line, ensure_ascii=True) + "\n")

    def last_words(self, text: str) -> None:
        """The text line that ends a run, which SageMaker shows the user."""
        self._write(text + "\n", to_file=False)

    def close(self) -> None:
        if self._handle is not None:
            # Sync: the log must survive if HyperPod stops the node after a failure.
            with contextlib.suppress(OSError):
                os.fsync(self._handle)
            os.close(self._handle)
            self._handle = None

    def _open(self) -> int | None:
        path = self._machine.path(LOG)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
            size = os.fstat(handle).st_size
            if size and os.pread(handle, 1, size - 1) != b"\n":
                os.write(handle, b"\n")  # a run was killed while it wrote a line
        except OSError as error:
            self._complain(error)
            return None
        return handle

    def _write(self, line: str, to_file: bool = True) -> None:
        try:
            self._stream.write(line)
            self._stream.flush()
        except (OSError, ValueError):
            pass  # standard output is closed; the file has the line
        if self._handle is None or not to_file:
            return
        try:
            os.write(self._handle, line.encode())
        except OSError as error:
            self._complain(error)

    def _complain(self, error: OSError) -> None:
        if not self._broken:
            self._broken = True
            self._write(
                json.dumps({"event": "notice", "text": f"{LOG}: {error}"}) + "\n", to_file=False
            )
