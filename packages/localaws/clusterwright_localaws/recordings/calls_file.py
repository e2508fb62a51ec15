"""The file of a recording: one line of JSON for each call, without secrets.

The first line is `{"schema_version": 1, "kind": "localaws-recording"}`. A call has `number`,
`time`, `service`, `operation`, `region`, `parameters`, `status`, `error` (code and message, or
null) and `answer`. Members that AWS's models mark as sensitive, and members with the names of
secrets, are `<redacted>`, and their values are replaced wherever else they occur from then on.
Blobs and objects are given as their size. Headers, and so signatures and session tokens, are never
written.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from clusterwright import files
from clusterwright_localaws.server.recording import plain_answer, without_secrets
from clusterwright_localaws.server.redaction import KnownSecrets, clean_text

KIND: Final = "localaws-recording"
SCHEMA_VERSION: Final = 1
MAX_BYTES: Final = 1_000_000_000
_SEARCHED: Final = frozenset({"parameters", "answer", "error"})


class RecordingError(Exception):
    """The file is no recording."""


class Writer:
    """Appends calls to a file, whole lines, from several threads.

    Raises
    ------
    OSError
        The file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND
        self._descriptor = os.open(path, flags, 0o600)
        self._lock = threading.Lock()
        self._secrets = KnownSecrets()
        self._number = 0
        self._write({"schema_version": SCHEMA_VERSION, "kind": KIND})

    def call(
        self,
        line: Mapping[str, Any],
        parameters: Mapping[str, Any] | None,
        answer: Mapping[str, Any] | None,
    ) -> None:
        """Write one call; `parameters` and `answer` still have their secrets."""
        service, operation = str(line["service"]), line["operation"]
        shown, answered = None, None
        found: set[str] = set()
        if operation is not None and parameters is not None:
            shown = without_secrets(service, operation, parameters, found)
        if operation is not None and answer is not None:
            answered = plain_answer(service, operation, answer, found)
        if line.get("error"):
            message = clean_text(str(line["error"].get("message", "")), found)
            line = {**line, "error": {**line["error"], "message": message}}
        with self._lock:
            self._secrets.add(found)
            self._number += 1
            self._write({"number": self._number, **line, "parameters": shown, "answer": answered})

    def _write(self, line: Mapping[str, Any]) -> None:
        clean = {
            key: self._secrets.cleaned(item) if key in _SEARCHED else item
            for key, item in line.items()
        }
        text = json.dumps(clean, default=str, ensure_ascii=False) + "\n"
        os.write(self._descriptor, text.encode("utf-8", "replace"))

    def close(self) -> None:
        with self._lock:
            os.close(self._descriptor)


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the calls of a recording.

    Raises
    ------
    RecordingError
        The file is no recording, or a line of it is damaged.
    OSError
        The file cannot be read.
    """
    lines = files.read_text(path, MAX_BYTES).splitlines()
    for number, text in enumerate(lines, 1):
        try:
            line = json.loads(text)
        except ValueError as error:
            raise RecordingError(f"line {number} is not JSON: {error}") from error
        if not isinstance(line, dict):
            raise RecordingError(f"line {number} is no object")
        if number == 1:
            if line.get("kind") != KIND or line.get("schema_version") != SCHEMA_VERSION:
                raise RecordingError("the first line is not that of a recording of version 1")
        elif {"service", "operation", "status"} <= line.keys():
            yield line
        else:
            raise RecordingError(f"line {number} is no call")
    if not lines:
        raise RecordingError("the file is empty")
