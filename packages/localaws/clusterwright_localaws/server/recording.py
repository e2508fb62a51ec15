"""`--record FILE`: every call as one line of JSON, written when it has been answered.

A line has `time`, `service`, `operation`, `account`, `region`, `source`, `parameters`, `status`,
`error` (AWS's code, or null), `warnings` (what AWS examines and the local AWS does not, of a call
that succeeded) and `duration_ms`. `source` is `client`, or `cloudformation` for
calls that the local AWS makes for a stack's resources. No secret is written: members that
botocore's model marks as sensitive are replaced, and blobs and streams are given as their size.
"""

from __future__ import annotations

import json
import os
import re
import threading
import time
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from clusterwright_localaws.core.runtime import CallLog
from clusterwright_localaws.core.urls import without_passwords
from clusterwright_localaws.server import wire

if TYPE_CHECKING:
    from moto.core.request import Request

    from clusterwright_localaws.server.wire import Answer

REDACTED: Final = "<redacted>"
# Set on calls that the local AWS makes itself; removed from calls that arrive over HTTP.
SOURCE_HEADER: Final = "x-clusterwright-source"
# Members that hold secrets although some models do not mark them.
_SECRET = re.compile(
    r"(password|passphrase|secret(string|binary|accesskey|key)?|privatekey|authtoken"
    r"|sessiontoken|accesstoken|authorizationtoken|clientsecret)$",
    re.IGNORECASE,
)
_local = threading.local()


class Recorder:
    """Appends lines to a file; safe to use from several threads.

    Raises
    ------
    OSError
        The file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND
        self._descriptor = os.open(path, flags, 0o600)
        self._lock = threading.Lock()

    def write(self, line: Mapping[str, Any]) -> None:
        """Write one line, whole, and at once."""
        text = json.dumps(line, default=_plain, ensure_ascii=False) + "\n"
        with self._lock:
            os.write(self._descriptor, text.encode("utf-8", "replace"))

    def close(self) -> None:
        with self._lock:
            os.close(self._descriptor)


class Entry:
    """One call while it is being answered."""

    def __init__(self, request: Request, service: str, account: str, region: str) -> None:
        self._started = time.monotonic()
        self._request = request
        self._line: dict[str, Any] = {
            "time": datetime.now().astimezone().isoformat(timespec="milliseconds"),
            "service": service,
            "operation": None,
            "account": account,
            "region": region,
            "source": request.headers.get(SOURCE_HEADER) or "client",
            "parameters": None,
            "warnings": [],
        }
        # The call that this one is made for, where a thread makes calls of its own.
        self._outer: Entry | None = getattr(_local, "entry", None)
        _local.entry = self

    def asked(self, operation: str | None, parameters: Mapping[str, Any] | None) -> None:
        """Record the operation and its parameters, as far as they could be read."""
        self._line["operation"] = operation
        if operation is not None and parameters is not None:
            self._line["parameters"] = without_secrets(
                str(self._line["service"]), operation, parameters, self._request
            )

    def warned(self, warnings: list[str]) -> None:
        """Record what was not examined."""
        self._line["warnings"] = warnings

    def end(self, recorder: CallLog, answered: Answer | None) -> None:
        """Write the line."""
        _local.entry = self._outer
        operation = self._line["operation"]
        status = answered[0] if answered is not None else None
        error = None
        if answered is not None and answered[0] >= wire.FIRST_ERROR:
            error = wire.error_code(str(self._line["service"]), operation, self._request, answered)
        self._line |= {
            "status": status,
            "error": error,
            "duration_ms": round((time.monotonic() - self._started) * 1000, 1),
        }
        recorder.write(self._line)


def note(operation: str | None, parameters: Mapping[str, Any] | None = None) -> None:
    """Record operation and parameters of this thread's call; does nothing without a recorder."""
    entry: Entry | None = getattr(_local, "entry", None)
    if entry is not None:
        entry.asked(operation, parameters)


def warned(warnings: list[str]) -> None:
    """Record what was not examined in this thread's call; as `note`."""
    entry: Entry | None = getattr(_local, "entry", None)
    if entry is not None:
        entry.warned(warnings)


def without_secrets(
    service: str, operation: str, parameters: Mapping[str, Any], request: Request | None = None
) -> Any:
    """Return the parameters of a call, or those that a store keeps, without secrets."""
    model = wire.service_model(service)
    if operation not in model.operation_names:
        return None
    found = model.operation_model(operation)
    if found.input_shape is None:
        return {}
    shown = _shown(found.input_shape, parameters, "")
    if found.has_streaming_input and request is not None:
        shown[found.input_shape.serialization["payload"]] = {"bytes": request.content_length or 0}
    if service == "cloudformation":
        _hide_no_echo(shown)
    return shown


def plain_answer(service: str, operation: str, members: Mapping[str, Any]) -> Any:
    """Return an answer as JSON's types, without secrets."""
    shape = wire.service_model(service).operation_model(operation).output_shape
    return {} if shape is None else _shown(shape, members, "")


def _shown(shape: Any, value: Any, name: str) -> Any:
    kind = shape.type_name
    if value is None:
        return None
    if shape.metadata.get("sensitive") or (kind in ("string", "blob") and _SECRET.search(name)):
        return REDACTED
    if kind == "structure" and isinstance(value, Mapping):
        members = getattr(shape, "members", {})
        return {
            key: _shown(members[key], item, key) if key in members else _plain(item)
            for key, item in value.items()
        }
    if kind == "list" and isinstance(value, (list, tuple)):
        return [_shown(shape.member, item, name) for item in value]
    if kind == "map" and isinstance(value, Mapping):
        return {key: _shown(shape.value, item, str(key)) for key, item in value.items()}
    return _plain(value)


def _hide_no_echo(shown: Any) -> None:
    """Hide parameters of a template that may be NoEcho, as only the template states.

    Those marked in their name or template are hidden; a template in S3 is not read for it, so that
    then every value is.
    """
    template = str(shown.get("TemplateBody") or "")
    for parameter in shown.get("Parameters") or ():
        if not isinstance(parameter, dict) or "ParameterValue" not in parameter:
            continue
        key = str(parameter.get("ParameterKey"))
        if "NoEcho" in template or not template or _SECRET.search(key):
            parameter["ParameterValue"] = REDACTED


def _plain(value: Any) -> Any:
    if isinstance(value, (bytes, bytearray)):
        return {"bytes": len(value)}
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, str):
        return without_passwords(value)
    if isinstance(value, (int, float, bool, list, tuple, dict)) or value is None:
        return value
    if hasattr(value, "read"):  # the body of an object
        return {"bytes": len(value.read())}
    return str(value)
