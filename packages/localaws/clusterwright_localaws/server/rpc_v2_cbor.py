"""Smithy's RPC v2 CBOR, translated from and to the JSON that the services and moto have.

A service whose model lists it takes it beside its JSON; which an SDK sends differs between SDKs.
https://smithy.io/2.0/additional-specs/protocols/smithy-rpc-v2.html
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from botocore.model import NoShapeFoundError

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.server import cbor, wire
from clusterwright_localaws.server.requests import too_large, uncompressed, with_body
from clusterwright_localaws.server.wire import Answer

if TYPE_CHECKING:
    from moto.core.request import Request

# One byte of CBOR may become an object of 64 bytes, so the limit is lower than that of JSON.
MAX_BYTES: Final = 16 * 1024 * 1024
_JSON: Final = "application/x-amz-json-"
_PATH: Final = re.compile(r"/service/([^/]+)/operation/([^/]+)")
_INTEGERS: Final = frozenset({"integer", "long"})
_FLOATS: Final = frozenset({"float", "double"})
# Headers of an answer that JSON has and CBOR has otherwise, or not at all.
_REPLACED: Final = frozenset({"content-type", "content-length", "x-amzn-errortype"})


def answer_with(
    service: str, request: Request, answer_json: Callable[[Request], Answer | None]
) -> Answer | None:
    """Answer a request in CBOR by what `answer_json` answers to the same request in JSON."""
    try:
        translated = as_json(service, request)
    except AwsError as error:
        return wire.cbor_error(error)
    answered = answer_json(translated)
    operation, _ = wire.operation_of(service, translated)
    return None if answered is None else from_json(service, str(operation), answered)


def as_json(service: str, request: Request) -> Request:
    """Return the same request in the service's JSON.

    Raises
    ------
    AwsError
        The service does not have the protocol, or the request breaks its rules.
    """
    model = wire.service_model(service)
    if not {wire.CBOR_PROTOCOL, "json"} <= set(model.metadata.get("protocols", ())):
        raise AwsError(
            "UnsupportedProtocolException", f"{service} does not have Smithy's RPC v2 CBOR", 400
        )
    prefix = str(model.metadata["targetPrefix"])
    operation = _operation(request, prefix)
    body = uncompressed(request).get_data(cache=True)
    if len(body) > MAX_BYTES:
        raise too_large(MAX_BYTES)
    found: Any = {}
    if operation in model.operation_names:
        found = _parameters(model.operation_model(operation), body)
    version = model.metadata.get("jsonVersion", "1.0")
    return with_body(
        request,
        json.dumps(found).encode(),
        PATH_INFO="/",
        RAW_URI="/",
        REQUEST_URI="/",
        QUERY_STRING="",
        CONTENT_TYPE=f"{_JSON}{version}",
        HTTP_X_AMZ_TARGET=f"{prefix}.{operation}",
        HTTP_ACCEPT=None,
        HTTP_CONTENT_ENCODING=None,
        HTTP_SMITHY_PROTOCOL=None,
    )


def from_json(service: str, operation: str, answered: Answer) -> Answer:
    """Return an answer of the service's JSON in CBOR."""
    status, headers, _ = answered
    kept = {name: text for name, text in headers.items() if name.lower() not in _REPLACED}
    kept["smithy-protocol"] = "rpc-v2-cbor"
    try:
        if status >= wire.FIRST_ERROR:
            body = cbor.encode(_error(service, answered))
        else:
            shape = wire.service_model(service).operation_model(operation).output_shape
            if shape is None:
                return status, kept, b""
            members = wire.read_answer(service, operation, answered, "json")
            members.pop("ResponseMetadata", None)
            body = cbor.encode(_written(shape, members))
    except (ValueError, TypeError, LookupError) as error:
        message = f"the answer to {service} {operation} has no form in CBOR: {error}"
        return wire.cbor_error(AwsError("InternalFailure", message[:500], 501))
    return status, kept | {"Content-Type": "application/cbor"}, body


def _operation(request: Request, prefix: str) -> str:
    if request.headers.get("X-Amz-Target") or request.headers.get("X-Amzn-Target"):
        raise _unreadable("a request in RPC v2 CBOR must not have the header X-Amz-Target")
    found = _PATH.search(request.path)
    if request.method != "POST" or found is None or found.end() != len(request.path):
        raise _unreadable(
            "a request in RPC v2 CBOR is a POST to /service/SERVICE/operation/OPERATION"
        )
    if found[1].rsplit(".", 1)[-1] != prefix:
        raise _unreadable(f"the service of the request is {prefix}, not {found[1]}"[:500])
    return found[2]


def _parameters(operation: Any, body: bytes) -> Any:
    if operation.input_shape is None or not body:
        return {}
    try:
        return _read(operation.input_shape, cbor.decode(body), "the input")
    except ValueError as error:
        raise _unreadable(f"the request cannot be read: {error}"[:500]) from error


def _unreadable(message: str) -> AwsError:
    return AwsError("SerializationException", message, 400)


def _read(shape: Any, value: Any, name: str) -> Any:
    """Return a value of CBOR as JSON has it.

    Raises
    ------
    ValueError
        The value has another type than its shape.
    """
    kind = shape.type_name
    if kind == "structure" and isinstance(value, Mapping):
        return {
            shape.members[key].serialization.get("name", key): _read(shape.members[key], item, key)
            for key, item in value.items()
            if key in shape.members and not _is_null(item)
        }
    if kind == "map" and isinstance(value, Mapping):
        return {
            _text(key, name): None if _is_null(item) else _read(shape.value, item, name)
            for key, item in value.items()
        }
    if kind == "list" and isinstance(value, list):
        return [None if _is_null(item) else _read(shape.member, item, name) for item in value]
    if kind in _INTEGERS and type(value) is int:
        return value
    if kind in _FLOATS and type(value) in (int, float):
        return _json_float(float(value))
    if kind == "timestamp" and isinstance(value, cbor.Time) and math.isfinite(value):
        return round(float(value), 3)
    if kind == "blob" and isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if kind == "boolean" and isinstance(value, bool):
        return value
    if kind == "string":
        return _text(value, name)
    raise ValueError(f"{name} is not a {kind}")


def _is_null(value: Any) -> bool:
    return value is None or value is cbor.UNDEFINED


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name} is not a string")
    return value


def _json_float(value: float) -> float | str:
    if math.isnan(value):
        return "NaN"
    return value if math.isfinite(value) else ("Infinity" if value > 0 else "-Infinity")


def _error(service: str, answered: Answer) -> dict[str, Any]:
    """Return the members of an error: those of its shape, its type and its message."""
    _, _, body = answered
    found = json.loads(body)
    if not isinstance(found, dict):
        raise ValueError("an error is not an object")
    written: dict[str, Any] = {"__type": str(found.get("__type", ""))}
    message = next((item for key, item in found.items() if key.lower() == "message"), None)
    name = "message"
    try:
        shape = wire.service_model(service).shape_for(written["__type"].rsplit("#", 1)[-1])
    except NoShapeFoundError:
        shape = None
    for key, member in getattr(shape, "members", {}).items():
        if key.lower() == "message":
            name = key
        elif found.get(key) is not None:
            written[key] = _written(member, found[key])
    return written if message is None else written | {name: str(message)}


def _written(shape: Any, value: Any) -> Any:
    """Return a value that botocore has read as CBOR has it."""
    kind = shape.type_name
    if value is None:
        return None
    if kind == "structure":
        return {
            shape.members[key].serialization.get("name", key): _written(shape.members[key], item)
            for key, item in value.items()
            if key in shape.members and item is not None
        }
    if kind == "map":
        return {key: _written(shape.value, item) for key, item in value.items()}
    if kind == "list":
        return [_written(shape.member, item) for item in value]
    if kind == "timestamp":
        return cbor.Time(round(_seconds(value), 3))
    if kind in _FLOATS:
        return float(value)
    if kind in _INTEGERS:
        return int(value)
    if kind == "blob" and isinstance(value, str):  # of an error, which botocore does not read
        return base64.b64decode(value)
    return value


def _seconds(value: Any) -> float:
    return value.timestamp() if isinstance(value, datetime) else float(value)
