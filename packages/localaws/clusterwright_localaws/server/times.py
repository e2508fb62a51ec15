"""Times in answers, in the form of their protocol: none has more than milliseconds.

Numbers of JSON are seconds since 1970, and texts end with Z: "Values that are more granular than
millisecond precision SHOULD be truncated to fit millisecond precision", as Smithy specifies.
https://smithy.io/2.0/spec/protocol-traits.html#timestampformat-trait
"""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from clusterwright_localaws.core.timestamps import with_milliseconds
from clusterwright_localaws.server.wire import FIRST_ERROR, Answer, service_model

_TIME: Final = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d"
# What may have to be rewritten; most answers have nothing of it, and are not parsed.
_IN_JSON: Final = re.compile(rf"\d{{8,11}}\.\d{{4,}}|\"{_TIME}")
_IN_XML: Final = re.compile(
    rf"<(?P<name>\w+)>(?P<time>{_TIME}(?:\.\d+)?)(?P<zone>Z|[+-]00:?00)?</(?P=name)>"
)
_MILLISECONDS: Final = 3
_CONTAINERS: Final = frozenset({"structure", "list", "map"})


def with_times(service: str, operation: str, protocol: str, answered: Answer) -> Answer:
    """Return an answer with its times in the form that its protocol has."""
    status, headers, body = answered
    if status >= FIRST_ERROR or not body:
        return answered
    model = service_model(service).operation_model(operation)
    shape = model.output_shape
    if shape is None or model.has_streaming_output or model.has_event_stream_output:
        return answered
    text = body.decode("utf-8", "surrogateescape") if isinstance(body, bytes) else body
    is_json = "json" in protocol
    written = _of_json(shape, text) if is_json else _of_xml(service, operation, text)
    if written is None:
        return answered
    kept = {name: value for name, value in headers.items() if name.lower() != "content-length"}
    is_text = isinstance(body, str)
    return status, kept, written if is_text else written.encode("utf-8", "surrogateescape")


def _of_json(shape: Any, text: str) -> str | None:
    """Return a body of JSON with its times written anew; None if it has none to be."""
    if not _IN_JSON.search(text):
        return None
    payload = shape.serialization.get("payload")
    found = json.loads(text)
    written = _json_value(shape.members[payload] if payload else shape, found)
    return None if written == found else json.dumps(written)


def _json_value(shape: Any, value: Any) -> Any:
    kind = shape.type_name
    if kind == "structure" and isinstance(value, Mapping):
        named = {
            member.serialization.get("name", name): member
            for name, member in shape.members.items()
        }
        return {
            key: _json_value(named[key], item) if key in named else item
            for key, item in value.items()
        }
    if kind == "list" and isinstance(value, list):
        return [_json_value(shape.member, item) for item in value]
    if kind == "map" and isinstance(value, Mapping):
        return {key: _json_value(shape.value, item) for key, item in value.items()}
    return _json_time(shape, value) if kind == "timestamp" else value


def _json_time(shape: Any, value: Any) -> Any:
    is_text = shape.serialization.get("timestampFormat", "").lower() in ("iso8601", "rfc822")
    if isinstance(value, float) and not is_text:
        return _whole_milliseconds(value)
    if not isinstance(value, str):
        return value
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return value  # seconds as a text, or a date of RFC 1123
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    if not is_text:
        return _whole_milliseconds(moment.timestamp())
    return with_milliseconds(moment) if _fraction(value) > _MILLISECONDS else value


def _whole_milliseconds(seconds: float) -> float | int:
    # Half a microsecond is more than the error of a float, and less than a time has.
    milliseconds = math.floor(seconds * 1000 + 0.0005)
    return milliseconds // 1000 if milliseconds % 1000 == 0 else milliseconds / 1000


def _of_xml(service: str, operation: str, text: str) -> str | None:
    names = _time_elements(service, operation)
    if not names:
        return None

    def write(found: re.Match[str]) -> str:
        name, time = found["name"], found["time"].replace(" ", "T")
        if name.lower() not in names:
            return found[0]
        if _fraction(time) > _MILLISECONDS:
            time = time[: time.index(".") + 1 + _MILLISECONDS]
        return f"<{name}>{time}Z</{name}>"

    written = _IN_XML.sub(write, text)
    return None if written == text else written


@functools.cache
def _time_elements(service: str, operation: str) -> frozenset[str]:
    """Return the names, in lower case, of the elements that are times, and never texts."""
    shape = service_model(service).operation_model(operation).output_shape
    leaves = set(_leaves(shape, "", frozenset()))
    times = {name for name, kind in leaves if kind == "timestamp"}
    return frozenset(times - {name for name, kind in leaves if kind != "timestamp"})


def _leaves(shape: Any, name: str, above: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield names and types of the elements without elements of their own."""
    if shape.type_name in _CONTAINERS and shape.name in above:
        return  # shapes may contain themselves
    above |= {shape.name}
    if shape.type_name == "structure":
        for key, member in shape.members.items():
            yield from _leaves(member, member.serialization.get("name", key), above)
    elif shape.type_name == "list":
        inner = shape.member.serialization.get("name", "member")
        yield from _leaves(
            shape.member, name if shape.serialization.get("flattened") else inner, above
        )
    elif shape.type_name == "map":
        yield from _leaves(shape.key, shape.key.serialization.get("name", "key"), above)
        yield from _leaves(shape.value, shape.value.serialization.get("name", "value"), above)
    else:
        yield name.lower(), shape.type_name


def _fraction(time: str) -> int:
    """Return how many digits the fraction of a second has."""
    digits = re.search(r"\.(\d+)", time)
    return len(digits[1]) if digits else 0
