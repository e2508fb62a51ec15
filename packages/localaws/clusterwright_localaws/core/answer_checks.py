"""Checks of moto's answers against botocore's model: required members, types, enums, sizes.

An answer that violates its model is one that AWS never gives, so it is refused (`InternalFailure`,
501) unless `tolerated.json` lists that member of that operation. The list is for one version of
moto; `python -m tools.docs local-aws-api` shows it.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from clusterwright_localaws.core.validation import BEYOND_MODEL, NOT_ENFORCED, matches
from clusterwright_localaws.server import wire

if TYPE_CHECKING:
    from clusterwright_localaws.server.wire import Answer

TOLERATED: Final = Path(__file__).with_name("tolerated.json")
# Names of secrets have up to 512 characters in requests, and in the model of answers up to 256.
_LONGER: Final = frozenset({"SecretNameType"})
# Errors without a body, and redirects, have no code.
_FIRST_ERROR = 301
_FIRST_FAILURE = 500


class Breach(NamedTuple):
    """One violation of an answer's model.

    `member` is a path of the model's names (`Clusters[].Tags{}`), `rule` one of unreadable,
    missing, type, enum, length, range, pattern, failure and error-shape.
    """

    member: str
    rule: str
    detail: str


def breaches(service: str, operation: str, protocol: str, answered: Answer) -> list[Breach]:
    """Return every violation of the model in an answer of moto, each member and rule once."""
    from botocore.parsers import ResponseParserError

    model = wire.service_model(service).operation_model(operation)
    status = answered[0]
    if status >= _FIRST_FAILURE:
        return [Breach("", "failure", f"it answered with status {status}")]
    if model.has_event_stream_output:
        return []
    if model.has_streaming_output and status < _FIRST_ERROR:
        answered = (status, answered[1], "")  # its body is the object itself
    try:
        if "json" in protocol and answered[2] and not model.has_streaming_output:
            json.loads(answered[2])  # botocore treats a body that is not JSON as a message
        found = wire.read_answer(service, operation, answered, protocol)
    except (ResponseParserError, ValueError, TypeError, LookupError, AttributeError) as error:
        return [Breach("", "unreadable", str(error)[:200])]
    if status >= _FIRST_ERROR:
        return _error(found, answered)
    found.pop("ResponseMetadata", None)
    if model.output_shape is None:
        return []
    out: dict[tuple[str, str], Breach] = {}
    _checker(model.output_shape)(found, "", out)
    return list(out.values())


def allowed(shape: Any, value: Any) -> bool:
    """Whether the model allows a value of this shape."""
    out: _Out = {}
    _checker(shape)(value, "", out)
    return not out


def intolerable(service: str, operation: str, found: list[Breach]) -> list[Breach]:
    """Return the violations that the list of known violations does not contain."""
    known = _known()
    return [
        breach for breach in found if (service, operation, breach.member, breach.rule) not in known
    ]


def tolerated() -> list[dict[str, str]]:
    """Return the accepted violations: service, operation, member, rule, and why."""
    document = json.loads(TOLERATED.read_text(encoding="utf-8"))
    answers: list[dict[str, str]] = document["answers"]
    return answers


def tolerated_version() -> str:
    """Return the version of moto that the list is for."""
    return str(json.loads(TOLERATED.read_text(encoding="utf-8"))["moto"])


@functools.cache
def _known() -> frozenset[tuple[str, str, str, str]]:
    from importlib.metadata import version

    if tolerated_version() != version("moto"):
        return frozenset()  # the list is valid for one version only
    return frozenset(
        (entry["service"], entry["operation"], entry["member"], entry["rule"])
        for entry in tolerated()
    )


def _error(found: Mapping[str, Any], answered: Answer) -> list[Breach]:
    if not answered[2] or found.get("Error", {}).get("Code"):
        return []
    return [Breach("", "error-shape", f"status {answered[0]} without an error code")]


_Out = dict[tuple[str, str], Breach]
_Check = Callable[[Any, str, _Out], None]


def _checker(shape: Any) -> _Check:
    """Return the check of one shape; it is built once and kept on the shape."""
    made: _Check | None = getattr(shape, "_clusterwright_check", None)
    if made is None:
        made = _MAKERS.get(shape.type_name, _nothing)(shape)
        shape._clusterwright_check = made
    return made


def _note(out: _Out, member: str, rule: str, detail: str) -> None:
    if (member, rule) not in out:
        out[member, rule] = Breach(member, rule, detail)


def _nothing(_: Any) -> _Check:
    return lambda _value, _member, _out: None


def _structure(shape: Any) -> _Check:
    if getattr(shape, "is_document_type", False):
        return _nothing(shape)
    members = shape.members
    required = tuple(
        name
        for name in shape.metadata.get("required", ())
        if not members[name].serialization.get("hostLabel")
    )
    checks: dict[str, _Check] = {}

    def check(value: Any, member: str, out: _Out) -> None:
        if not isinstance(value, Mapping):
            _note(out, member, "type", f"{value!r:.60} is not a structure")
            return
        prefix = f"{member}." if member else ""
        for name in required:
            if value.get(name) is None:
                _note(out, prefix + name, "missing", "it is required")
        for name, item in value.items():
            if item is None:
                continue
            one = checks.get(name)
            if one is None:
                if name not in members:
                    continue  # botocore's parser adds unknown members of a union
                one = checks[name] = _checker(members[name])
            one(item, prefix + name, out)

    return check


def _list(shape: Any) -> _Check:
    item_check = _checker_later(shape.member)
    minimum, maximum = shape.metadata.get("min"), shape.metadata.get("max")

    def check(value: Any, member: str, out: _Out) -> None:
        if not isinstance(value, list):
            _note(out, member, "type", f"{value!r:.60} is not a list")
            return
        if value:  # AWS returns an empty list if there are no items, despite a minimum
            _size(len(value), minimum, maximum, member, out, "length")
        each = item_check()
        for item in value:
            each(item, member + "[]", out)

    return check


def _map(shape: Any) -> _Check:
    key_check, value_check = _checker_later(shape.key), _checker_later(shape.value)
    minimum, maximum = shape.metadata.get("min"), shape.metadata.get("max")

    def check(value: Any, member: str, out: _Out) -> None:
        if not isinstance(value, Mapping):
            _note(out, member, "type", f"{value!r:.60} is not a map")
            return
        if value:  # as with lists
            _size(len(value), minimum, maximum, member, out, "length")
        for key, item in value.items():
            key_check()(key, member + "{key}", out)
            if item is not None:
                value_check()(item, member + "{}", out)

    return check


def _string(shape: Any) -> _Check:
    enum = frozenset(shape.metadata.get("enum", ()))
    beyond = BEYOND_MODEL.get(shape.name, frozenset())
    pattern = None if shape.name in NOT_ENFORCED else shape.metadata.get("pattern")
    minimum, maximum = shape.metadata.get("min"), shape.metadata.get("max")
    if shape.name in _LONGER:
        maximum = None

    def check(value: Any, member: str, out: _Out) -> None:
        if not isinstance(value, str):
            _note(out, member, "type", f"{value!r:.60} is not a string")
            return
        if enum and value not in enum and value not in beyond:
            _note(out, member, "enum", f"{value!r:.60} is not one of the model's values")
        _size(len(value), minimum, maximum, member, out, "length")
        if pattern and not matches(pattern, value):
            _note(out, member, "pattern", f"{value!r:.60} does not match {pattern:.80}")

    return check


def _number(shape: Any) -> _Check:
    kinds = (int,) if shape.type_name in ("integer", "long", "short", "byte") else (int, float)
    minimum, maximum = shape.metadata.get("min"), shape.metadata.get("max")

    def check(value: Any, member: str, out: _Out) -> None:
        if isinstance(value, bool) or not isinstance(value, kinds):
            _note(out, member, "type", f"{value!r:.60} is not a {shape.type_name}")
            return
        _size(value, minimum, maximum, member, out, "range")

    return check


def _boolean(_: Any) -> _Check:
    def check(value: Any, member: str, out: _Out) -> None:
        if not isinstance(value, bool):
            _note(out, member, "type", f"{value!r:.60} is not a boolean")

    return check


def _timestamp(_: Any) -> _Check:
    def check(value: Any, member: str, out: _Out) -> None:
        if not isinstance(value, datetime):
            _note(out, member, "type", f"{value!r:.60} is not a timestamp")

    return check


def _checker_later(shape: Any) -> Callable[[], _Check]:
    """Return the check of a member, built at its first use: shapes may contain themselves."""
    made: list[_Check] = []

    def get() -> _Check:
        if not made:
            made.append(_checker(shape))
        return made[0]

    return get


def _size(
    value: float, minimum: float | None, maximum: float | None, member: str, out: _Out, rule: str
) -> None:
    if minimum is not None and value < minimum:
        _note(out, member, rule, f"{value} is less than {minimum}")
    if maximum is not None and value > maximum:
        _note(out, member, rule, f"{value} is more than {maximum}")


_MAKERS: Final[Mapping[str, Callable[[Any], _Check]]] = {
    "structure": _structure,
    "list": _list,
    "map": _map,
    "string": _string,
    "character": _string,
    "boolean": _boolean,
    "timestamp": _timestamp,
    **dict.fromkeys(("integer", "long", "short", "byte", "float", "double"), _number),
}
