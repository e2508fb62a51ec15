"""Completion of an invalid spec, so that further checks run and all errors are reported together.

Each wrong value is replaced by its default, or by the example of its field; a second validation
finds mistakes elsewhere. Problems that may result from a replaced value are dropped.
"""

from __future__ import annotations

import copy
import typing
from collections.abc import Iterable
from typing import Any

from pydantic.fields import FieldInfo

from clusterwright.cluster_spec.keys import field_at, fields_of, is_list, models_in
from clusterwright.cluster_spec.problems import Path, Problem, overlap


def mended(
    data: dict[str, Any], problems: Iterable[Problem]
) -> tuple[dict[str, Any], list[Path]] | None:
    """Return a copy of `data` with every wrong value replaced, and the paths of those values.

    None if a value cannot be replaced.
    """
    result: dict[str, Any] = copy.deepcopy(data)
    touched: list[Path] = []
    for problem in problems:
        path = _replace_value(result, problem)
        if path is None:
            return None
        touched.append(path)
        if problem.on_key and problem.other_path is not None:
            # The key that was probably meant has no value: it is treated as missing.
            meant = _replace_value(result, Problem("", problem.other_path))
            if meant is None:
                return None
            touched.append(meant)
    return result, touched


def untouched(found: Iterable[Problem], touched: Iterable[Path]) -> list[Problem]:
    """Return the problems of `found` that do not depend on a replaced value."""
    touched = list(touched)
    return [problem for problem in found if not any(_follows(problem, bad) for bad in touched)]


def _follows(problem: Problem, bad: Path) -> bool:
    """Return whether the problem may exist only because the value at `bad` is wrong."""
    places = (problem.path, problem.other_path)
    return any(overlap(path, bad) for path in places if path is not None) or any(
        path[: len(bad)] == bad for path in problem.rests_on
    )


def _replace_value(data: dict[str, Any], problem: Problem) -> Path | None:
    """Replace or remove the value; return the path of what was replaced."""
    path = problem.path
    while path:
        # Go up to the nearest key of a model: a list and the tags are replaced as a whole.
        if isinstance(path[-1], int):
            path = path[:-1]
            continue
        field = field_at(path)
        if field is None:
            if problem.on_key and path == problem.path:
                return _removed(data, path)
            path = path[:-1]
            continue
        if not field.is_required():
            return _removed(data, path)
        value = _example(field)
        return _put(data, path, value) if value is not None else None
    return None


def _example(field: FieldInfo) -> Any:
    """Return a valid value of a required field, or None if the field has no example."""
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


def _removed(data: dict[str, Any], path: Path) -> Path:
    parent = _parent(data, path)
    # If the parent itself was replaced, there is nothing left to remove.
    if isinstance(parent, dict):
        parent.pop(path[-1], None)
    return path


def _put(data: dict[str, Any], path: Path, value: Any) -> Path | None:
    parent = _parent(data, path)
    if not isinstance(parent, dict):
        return None
    parent[path[-1]] = value
    return path
