"""Makes a spec with mistakes whole enough to be examined further, so that all errors come at once.

A wrong value gives way to its default, or to the example of its field; a second look then
finds what is wrong elsewhere. Whatever it says about a value that was put in, it does not
know: that is dropped.
"""

from __future__ import annotations

import copy
import typing
from collections.abc import Iterable
from typing import Any

from pydantic.fields import FieldInfo

from clusterwright.spec.keys import field_at, fields_of, is_list, models_in
from clusterwright.spec.problems import Path, Problem, overlap


def mended(data: dict[str, Any], problems: Iterable[Problem]) -> dict[str, Any] | None:
    """A copy of `data` with every value that has a problem replaced; None if that cannot be."""
    result: dict[str, Any] = copy.deepcopy(data)
    for problem in problems:
        if not _mend(result, problem):
            return None
    return result


def untouched(found: Iterable[Problem], problems: Iterable[Problem]) -> list[Problem]:
    """Those of `found` that rest on no value with a problem."""
    wrong = [path for p in problems for path in (p.path, p.other_path) if path]
    return [
        problem
        for problem in found
        if not any(
            overlap(path, bad)
            for path in (problem.path, problem.other_path)
            if path is not None
            for bad in wrong
        )
    ]


def _mend(data: dict[str, Any], problem: Problem) -> bool:
    path = problem.path
    field = None
    # Up to the nearest key of a model: an entry of a list or of the tags cannot be replaced alone.
    while path and field is None:
        while path and isinstance(path[-1], int):
            path = path[:-1]
        if not path:
            return False
        field = field_at(path)
        if field is None and problem.on_key and path == problem.path:
            return _remove(data, path)
        if field is None:
            path = path[:-1]
    if field is None:
        return False
    if not field.is_required():
        return _remove(data, path)
    value = _example(field)
    return value is not None and _put(data, path, value)


def _example(field: FieldInfo) -> Any:
    """A valid value of a required field, or None where nobody has said what one looks like."""
    if field.examples:
        return copy.deepcopy(field.examples[0])
    arguments = typing.get_args(field.annotation)
    if typing.get_origin(field.annotation) is typing.Literal:
        return arguments[0]
    models = models_in(field.annotation)
    if len(models) != 1 or is_list(field.annotation):
        return None
    required = {k: f for k, f in fields_of(models[0]).items() if f.is_required()}
    values = {key: _example(child) for key, child in required.items()}
    return None if None in values.values() else values


def _parent(data: Any, path: Path) -> Any:
    for part in path[:-1]:
        if isinstance(data, dict) and part in data:
            data = data[part]
        elif isinstance(data, list) and isinstance(part, int) and part < len(data):
            data = data[part]
        else:
            return None
    return data


def _remove(data: dict[str, Any], path: Path) -> bool:
    parent = _parent(data, path)
    if isinstance(parent, dict):
        parent.pop(path[-1], None)
    # Where the parent itself was replaced there is nothing left to remove.
    return True


def _put(data: dict[str, Any], path: Path, value: Any) -> bool:
    parent = _parent(data, path)
    if not isinstance(parent, dict):
        return False
    parent[path[-1]] = value
    return True
