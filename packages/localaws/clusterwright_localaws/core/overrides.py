"""Overrides of a world: members of answers with other values, validated against the API model."""

from __future__ import annotations

import copy
import threading
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any

from clusterwright_localaws.core.paging_model import paging_of
from clusterwright_localaws.core.validation import violations
from clusterwright_localaws.worlds.injections import Override, first_of
from clusterwright_localaws.worlds.model import moment_of

# moto streams their answers, which are not rewritten here.
UNPARSED = frozenset({"s3", "s3control"})


class OverrideBook:
    """Counts calls against the overrides of a world."""

    def __init__(self, overrides: Sequence[Override]) -> None:
        self._overrides = tuple(overrides)
        self._seen = [0] * len(self._overrides)
        self._lock = threading.Lock()

    def __bool__(self) -> bool:
        return bool(self._overrides)

    def hits(self, service: str, operation: str, parameters: Mapping[str, Any]) -> list[Override]:
        """Return the overrides that apply to this call; a matching call is counted once."""
        found = []
        with self._lock:
            for index, each in enumerate(self._overrides):
                if (each.service, each.operation) != (service, operation):
                    continue
                if not matches(parameters, each.request):
                    continue
                self._seen[index] += 1
                number = self._seen[index] - each.after
                if number >= 1 and (each.times is None or number <= each.times):
                    found.append(each)
        return found


def overridden(
    hits: Sequence[Override],
    shape: Any,
    result: Mapping[str, Any],
    parameters: Mapping[str, Any],
    now: datetime,
) -> dict[str, Any]:
    """Return a copy of an answer with overrides applied, in the order of the world.

    Parameters
    ----------
    shape:
        The botocore shape of the operation's answer.
    parameters:
        Those of the call: items are added to the first page of a list only.
    now:
        The time that offsets such as `+30m` are relative to.
    """
    found: dict[str, Any] = copy.deepcopy(dict(result))
    for each in hits:
        if each.each is None:
            if matches(found, each.match):
                _set(found, shape, each.set, now)
            continue
        parts = each.each.split(".")
        item_shape = shape_at(shape, parts).member
        paging = paging_of(each.service, each.operation)
        if each.add and not (paging and parameters.get(paging.input_token)):
            _list_at(found, parts).extend(timed(item_shape, item, now) for item in each.add)
        lists = list(_lists(found, parts))
        items = [item for one in lists for item in one]
        taken = iter(first_of([matches(item, each.match) for item in items], each.first))
        for one in lists:
            chosen = [next(taken) for _ in one]
            if each.remove:
                one[:] = [item for item, doomed in zip(one, chosen, strict=True) if not doomed]
            else:
                for item, wanted in zip(one, chosen, strict=True):
                    if wanted:
                        _set(item, item_shape, each.set, now)
    return found


def matches(value: Any, wanted: Mapping[str, Any]) -> bool:
    """Return whether members of `value`, by path, have the wanted values; * in a text: any."""
    return all(
        any(_equal(found, expected) for found in _values(value, path.split(".")))
        for path, expected in wanted.items()
    )


def problems_of(override: Override, model: Any) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield what is wrong with an override by the model of its service, with the field's path."""
    operation = model.operation_model(override.operation)
    output, given = operation.output_shape, operation.input_shape
    for path in override.request:
        if given is None or shape_at(given, path.split(".")) is None:
            yield ("request", path), f"{override.operation} has no parameter {path}"
    if output is None:
        yield ("operation",), f"{override.operation} answers nothing that can be changed"
        return
    shape = output
    if override.each is not None:
        found = shape_at(output, override.each.split("."))
        if found is None or found.type_name != "list":
            yield ("each",), f"the answer of {override.operation} has no list {override.each}"
            return
        shape = found.member
    yield from _item_problems(override, shape)


def _item_problems(override: Override, shape: Any) -> Iterator[tuple[tuple[str, ...], str]]:
    for path in override.match:
        if shape_at(shape, path.split(".")) is None:
            yield ("match", path), f"{shape.name} has no member {path}"
    for path, value in override.set.items():
        member = shape_at(shape, path.split("."))
        if member is None:
            yield ("set", path), f"{shape.name} has no member {path}"
        elif value is not None:
            for stated in _violations(member, value):
                yield ("set", path), stated
    for item in override.add:
        for stated in _violations(shape, item):
            yield ("add",), stated


def shape_at(shape: Any, parts: Sequence[str]) -> Any:
    """Return the shape at a path, through the items of lists; None if there is none.

    A list at the path's end is returned itself.
    """
    for part in parts:
        while shape is not None and shape.type_name == "list":
            shape = shape.member
        if shape is None:
            return None
        if shape.type_name == "map":
            shape = shape.value
        elif shape.type_name == "structure":
            shape = shape.members.get(part)
        else:
            return None
    return shape


def timed(shape: Any, value: Any, now: datetime) -> Any:
    """Return a copy of a value with the texts of its timestamps as times.

    Raises
    ------
    ValueError
        A text is neither a time nor an offset.
    """
    if shape is None or value is None:
        return value
    if shape.type_name == "timestamp" and isinstance(value, str):
        return moment_of(value, now)
    if shape.type_name == "structure" and isinstance(value, Mapping):
        return {key: timed(shape.members.get(key), item, now) for key, item in value.items()}
    if shape.type_name == "map" and isinstance(value, Mapping):
        return {key: timed(shape.value, item, now) for key, item in value.items()}
    if shape.type_name == "list" and isinstance(value, (list, tuple)):
        return [timed(shape.member, item, now) for item in value]
    return value


def _violations(shape: Any, value: Any) -> list[str]:
    try:
        return violations(shape, timed(shape, value, datetime.now().astimezone()), answers=True)
    except ValueError as error:
        return [str(error)]


def _equal(found: Any, expected: Any) -> bool:
    if isinstance(expected, str) and isinstance(found, str):
        return fnmatchcase(found, expected)
    return bool(found == expected)


def _values(value: Any, parts: Sequence[str]) -> Iterator[Any]:
    """Yield the values at a path, through the items of lists; None where a member is missing."""
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _values(item, parts)
    elif not parts:
        yield value
    elif isinstance(value, Mapping):
        yield from _values(value.get(parts[0]), parts[1:])
    else:
        yield None


def _lists(value: Any, parts: Sequence[str]) -> Iterator[list[Any]]:
    if isinstance(value, list):
        if not parts:
            yield value
            return
        for item in value:
            yield from _lists(item, parts)
    elif isinstance(value, dict) and parts:
        yield from _lists(value.get(parts[0]), parts[1:])


def _list_at(value: dict[str, Any], parts: Sequence[str]) -> list[Any]:
    """Return the first list at a path, created where it is missing."""
    existing = next(_lists(value, parts), None)
    if existing is not None:
        return existing
    for part in parts[:-1]:
        value = value.setdefault(part, {})
    created: list[Any] = []
    value[parts[-1]] = created
    return created


def _set(value: Any, shape: Any, changes: Mapping[str, Any], now: datetime) -> None:
    for path, new in changes.items():
        parts = path.split(".")
        _assign(value, parts, timed(shape_at(shape, parts), copy.deepcopy(new), now))


def _assign(value: Any, parts: Sequence[str], new: Any) -> None:
    if isinstance(value, list):
        for item in value:
            _assign(item, parts, new)
        return
    if not isinstance(value, dict):
        return
    if len(parts) > 1:
        if new is None and value.get(parts[0]) is None:
            return
        if value.get(parts[0]) is None:
            value[parts[0]] = {}
        _assign(value[parts[0]], parts[1:], new)
    elif new is None:
        value.pop(parts[0], None)
    else:
        value[parts[0]] = new
