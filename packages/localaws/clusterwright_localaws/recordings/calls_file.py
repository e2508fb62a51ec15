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
import re
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from clusterwright import files
from clusterwright_localaws.server.recording import REDACTED, plain_answer, without_secrets

KIND: Final = "localaws-recording"
SCHEMA_VERSION: Final = 1
MAX_BYTES: Final = 1_000_000_000
_SHORTEST_SECRET: Final = 6
# A literal value of such a key in a template or another document.
_LITERAL: Final = re.compile(
    r"""(?ix)
    ( ["']? [\w-]* (?:password|passphrase|secretstring|secretaccesskey|private_?key|auth_?token
      |client_?secret|secret_?key|api_?key) ["']? \s* [:=] \s* ["']? )
    ( [^"'\s{}\[\]!,&][^"'\n{},&]* )"""
)


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
        self._secrets: set[str] = set()
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
        if operation is not None and parameters is not None:
            shown = without_secrets(service, operation, parameters)
        if operation is not None and answer is not None:
            answered = plain_answer(service, operation, answer)
        with self._lock:
            self._secrets |= _hidden(parameters, shown) | _hidden(answer, answered)
            self._number += 1
            self._write({"number": self._number, **line, "parameters": shown, "answer": answered})

    def _write(self, line: Mapping[str, Any]) -> None:
        clean = _clean(line, sorted(self._secrets, key=len, reverse=True))
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


def _hidden(value: Any, shown: Any) -> set[str]:
    """The texts that were replaced in `shown`."""
    if shown == REDACTED:
        return _texts(value)
    found: set[str] = set()
    if isinstance(value, Mapping) and isinstance(shown, Mapping):
        for key, item in value.items():
            found |= _hidden(item, shown.get(key))
    elif isinstance(value, list | tuple) and isinstance(shown, list):
        for item, other in zip(value, shown, strict=False):
            found |= _hidden(item, other)
    return found


def _texts(value: Any) -> set[str]:
    if isinstance(value, Mapping):
        return set().union(*(_texts(item) for item in value.values()))
    if isinstance(value, list | tuple):
        return set().union(*(_texts(item) for item in value))
    if isinstance(value, bytes | bytearray):
        value = bytes(value).decode("utf-8", "ignore")
    if not isinstance(value, str) or len(value) < _SHORTEST_SECRET:
        return set()
    found = {value}
    try:
        # A secret is often a JSON document, whose values are used apart from it.
        document = json.loads(value)
    except ValueError:
        return found
    return found | (_texts(document) if isinstance(document, dict | list) else set())


def _clean(value: Any, secrets: list[str]) -> Any:
    if isinstance(value, Mapping):
        return {_clean(str(key), secrets): _clean(item, secrets) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(item, secrets) for item in value]
    if not isinstance(value, str):
        return value
    for secret in secrets:
        if secret in value:
            value = value.replace(secret, REDACTED)
    return _LITERAL.sub(lambda found: found[1] + REDACTED, value)
