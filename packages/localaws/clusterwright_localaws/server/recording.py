"""`--record FILE`: every call as one line of JSON, written when it has been answered.

A line has `time`, `service`, `operation`, `account`, `region`, `source`, `parameters`, `status`,
`error` (AWS's code, or null), `warnings` (what AWS examines and the local AWS does not, of a call
that succeeded) and `duration_ms`. `source` is `client`, or `cloudformation` for
calls that the local AWS makes for a stack's resources. No secret is written: members that
botocore's model marks as sensitive, and what `server.redaction` finds in texts and templates, are
replaced, wherever they occur from then on; blobs and streams are given as their size.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Collection, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from clusterwright_localaws.core.runtime import CallLog
from clusterwright_localaws.server import wire
from clusterwright_localaws.server.redaction import (
    REDACTED,
    KnownSecrets,
    clean_text,
    hidden,
    names_a_secret,
    texts,
)
from clusterwright_localaws.server.template_redaction import is_no_echo, shown_template

if TYPE_CHECKING:
    from moto.core.request import Request

    from clusterwright_localaws.server.wire import Answer

# Set on calls that the local AWS makes itself; removed from calls that arrive over HTTP.
SOURCE_HEADER: Final = "x-clusterwright-source"
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
        self._secrets = KnownSecrets()

    def write(self, line: Mapping[str, Any], secrets: Collection[str] = ()) -> None:
        """Write one line, whole, at once, without secrets of this line and those before."""
        with self._lock:
            self._secrets.add(secrets)
            clean = {
                key: self._secrets.cleaned(item) if key in ("parameters", "warnings") else item
                for key, item in line.items()
            }
            text = json.dumps(clean, default=str, ensure_ascii=False) + "\n"
            os.write(self._descriptor, text.encode("utf-8", "replace"))

    def close(self) -> None:
        with self._lock:
            os.close(self._descriptor)


class Entry:
    """One call while it is being answered."""

    def __init__(self, request: Request, service: str, account: str, region: str) -> None:
        self._started = time.monotonic()
        self._request = request
        self._secrets: set[str] = set()
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
                str(self._line["service"]), operation, parameters, self._secrets, self._request
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
        recorder.write(self._line, self._secrets)


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
    service: str,
    operation: str,
    parameters: Mapping[str, Any],
    found: set[str] | None = None,
    request: Request | None = None,
) -> Any:
    """Return the parameters of a call, or those that a store keeps, without secrets.

    The secrets are added to `found`.
    """
    model = wire.service_model(service)
    if operation not in model.operation_names:
        return None
    input_shape = model.operation_model(operation).input_shape
    if input_shape is None:
        return {}
    secrets: set[str] = set() if found is None else found
    shown = _Shown(secrets).value(input_shape, parameters, "")
    if model.operation_model(operation).has_streaming_input and request is not None:
        shown[input_shape.serialization["payload"]] = {"bytes": request.content_length or 0}
    return shown


def plain_answer(
    service: str, operation: str, members: Mapping[str, Any], found: set[str] | None = None
) -> Any:
    """Return an answer as JSON's types, without secrets, which are added to `found`."""
    shape = wire.service_model(service).operation_model(operation).output_shape
    secrets: set[str] = set() if found is None else found
    return {} if shape is None else _Shown(secrets).value(shape, members, "")


class _Shown:
    """What is shown of a call or an answer; secrets are added to `found`."""

    def __init__(self, found: set[str]) -> None:
        self._found = found
        self._secret_parameters: set[str] | None = None
        """Those of the template of the call; None if every one may be."""

    def value(self, shape: Any, value: Any, name: str) -> Any:
        kind = shape.type_name
        if value is None:
            return None
        if shape.metadata.get("sensitive") or (
            kind in ("string", "blob") and names_a_secret(name) and name.lower() != "apikey"
        ):
            self._found |= texts(value)
            return REDACTED
        if kind == "structure" and isinstance(value, Mapping):
            return self._structure(shape, value)
        if kind == "list" and isinstance(value, (list, tuple)):
            return [self.value(shape.member, item, name) for item in value]
        if kind == "map" and isinstance(value, Mapping):
            return {key: self.value(shape.value, item, str(key)) for key, item in value.items()}
        if kind == "string" and name == "TemplateBody":
            return self._template(value)
        return self._plain(value)

    def _structure(self, shape: Any, value: Mapping[str, Any]) -> dict[str, Any]:
        members = getattr(shape, "members", {})
        shown = {
            key: self.value(members[key], item, key) if key in members else self._plain(item)
            for key, item in value.items()
        }
        if "TemplateBody" in members and "Parameters" in members:
            self._hide_values(shown)
        if "DefaultValue" in shown and (
            is_no_echo(value) or names_a_secret(str(value.get("ParameterKey", "")))
        ):
            shown["DefaultValue"] = hidden(value["DefaultValue"], self._found)
            shown.pop("ParameterConstraints", None)
        return shown

    def _template(self, value: Any) -> Any:
        # botocore's clients answer a template in JSON as a document.
        text = value if isinstance(value, str) else json.dumps(value)
        shown, found, self._secret_parameters = shown_template(text)
        self._found |= found
        return shown

    def _hide_values(self, shown: dict[str, Any]) -> None:
        """Hide values of parameters that the template makes secrets.

        A template in S3, and the one of before, is not read for it, so that then every value is.
        """
        secret = self._secret_parameters
        for parameter in shown.get("Parameters") or ():
            if not isinstance(parameter, dict) or "ParameterValue" not in parameter:
                continue
            key = str(parameter.get("ParameterKey"))
            if secret is None or key in secret or names_a_secret(key):
                parameter["ParameterValue"] = hidden(parameter["ParameterValue"], self._found)

    def _plain(self, value: Any) -> Any:
        if isinstance(value, (bytes, bytearray)):
            return {"bytes": len(value)}
        if isinstance(value, datetime):
            return value.isoformat()
        if isinstance(value, str):
            return clean_text(value, self._found)
        if isinstance(value, (list, tuple)):
            return [self._plain(item) for item in value]
        if isinstance(value, Mapping):
            return {key: self._plain(item) for key, item in value.items()}
        if isinstance(value, (int, float, bool)):
            return value
        if hasattr(value, "read"):  # the body of an object
            return {"bytes": len(value.read())}
        return str(value)
