"""Reads a spec: layers, positions, validation; either a whole cluster or every problem at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from clusterwright.spec.document import kind_of, read_document
from clusterwright.spec.layering import BASE_NAME, Layers, lay
from clusterwright.spec.problems import Path, Position, Problem, SpecErrors, path_text
from clusterwright.spec.resolve import resolve
from clusterwright.spec.suggest import did_you_mean

if TYPE_CHECKING:
    from clusterwright.spec.models.cluster import Cluster

Check = Callable[["Cluster"], Iterable[Problem]]
"""More that must hold, from a room that knows more (the catalogue's names and zones)."""


@dataclass(frozen=True)
class LoadedSpec:
    """A valid spec, and where each of its values stands."""

    cluster: Cluster
    file: str
    layers: Layers

    def position(self, path: Sequence[str | int]) -> Position | None:
        """Where the value at `path` is written; its nearest written ancestor if it is a default."""
        return self.layers.position(tuple(path))

    def value(self, path: Sequence[str | int]) -> Any:
        """The resolved value at `path`. Raises KeyError, IndexError where there is none."""
        value: Any = self.resolved()
        for part in path:
            value = value[part]
        return value

    def resolved(self) -> dict[str, Any]:
        """The whole spec with every default, as plain data (JSON types)."""
        return self.cluster.model_dump(mode="json", by_alias=True)


def load_spec(path: str | os.PathLike[str], *, checks: Iterable[Check] = ()) -> LoadedSpec:
    """Read `path`, laid over the `base.yaml` beside it where there is one.

    Raises
    ------
    SpecErrors
        Everything that is wrong, with positions.
    """
    file = FilePath(path)
    documents = [read_document(file)]
    base = file.parent / BASE_NAME
    if file.name != BASE_NAME and base.is_file():
        documents.insert(0, read_document(base))
    layers = lay(tuple(documents))
    cluster = _validate(resolve(layers), layers)
    from clusterwright.spec.consistency import ALL

    found = [problem for check in (*ALL, *checks) for problem in check(cluster)]
    if found:
        raise SpecErrors(_placed(problem, layers) for problem in found)
    return LoadedSpec(cluster, os.fspath(path), layers)


def _validate(data: dict[str, Any], layers: Layers) -> Cluster:
    from pydantic import ValidationError

    from clusterwright.spec.models.cluster import Cluster

    try:
        return Cluster.model_validate(data)
    except ValidationError as error:
        problems = [_problem(detail, data) for detail in error.errors(include_url=False)]
        raise SpecErrors(_placed(problem, layers) for problem in problems) from None


def _placed(problem: Problem, layers: Layers) -> Problem:
    position = problem.position or layers.position(problem.path, on_key=problem.on_key)
    if position is None:
        position = Position(layers.documents[-1].file, 1, 1)
    note = problem.note
    if problem.other_path is not None and note is None:
        other = layers.position(problem.other_path)
        if other is not None and (other.file, other.line) != (position.file, position.line):
            note = f"see {path_text(problem.other_path)} at {other.file}:{other.line}"
    message = problem.message
    where = path_text(problem.path)
    if where and not message.startswith(where):
        message = f"{where}: {message}"
    return Problem(
        message, problem.path, problem.hint, problem.on_key, note, position, problem.other_path
    )


def _problem(detail: Any, data: dict[str, Any]) -> Problem:
    """One error of pydantic in the words of a user."""
    kind, context, given = detail["type"], detail.get("ctx", {}), detail["input"]
    path = _real_path(detail["loc"], data, missing=kind in ("missing", "extra_forbidden"))
    if kind == "missing":
        return Problem(f"`{path[-1]}` is missing", path[:-1])
    if kind == "extra_forbidden":
        hint = did_you_mean(str(path[-1]), _known_keys(path[:-1], detail["loc"]))
        return Problem(f"unknown key `{path[-1]}`", path[:-1] + path[-1:], hint=hint, on_key=True)
    if kind in ("literal_error", "union_tag_invalid"):
        allowed = str(context.get("expected") or context.get("expected_tags"))
        options = [word.strip(" '") for word in allowed.replace(" or ", ", ").split(",")]
        if kind == "union_tag_invalid":
            path = (*path, "kind")
            given = context.get("tag")
        return Problem(
            f"{_shown(given)} is not one of {', '.join(options)}",
            path,
            hint=did_you_mean(str(given), options),
        )
    if kind == "union_tag_not_found":
        return Problem("`kind` is missing", path)
    if kind == "string_pattern_mismatch":
        return Problem(f"{_shown(given)} does not have the form {context['pattern']}", path)
    if kind.endswith("_type"):
        wanted = {
            "string_type": "a text",
            "int_type": "a whole number",
            "float_type": "a number",
            "bool_type": "true or false",
            "list_type": "a list",
            "dict_type": "a mapping",
            "model_type": "a mapping",
            "model_attributes_type": "a mapping",
        }.get(kind, kind.removesuffix("_type"))
        hint = None
        if kind == "string_type" and isinstance(given, (int, float)) and not isinstance(given, bool):
            hint = "quote it"
        return Problem(f"{wanted} is wanted, this is {kind_of(given)}", path, hint=hint)
    said = detail["msg"][:1].lower() + detail["msg"][1:]
    return Problem(f"{_shown(given)}: {said}" if not isinstance(given, (dict, list)) else said, path)


def _real_path(location: Path, data: Any, *, missing: bool) -> Path:
    """Pydantic's location without what is not in the data (the tags of unions)."""
    path: list[str | int] = []
    here = data
    for index, part in enumerate(location):
        last = index == len(location) - 1
        if isinstance(here, dict) and part in here:
            path.append(part)
            here = here[part]
        elif isinstance(here, list) and isinstance(part, int) and part < len(here):
            path.append(part)
            here = here[part]
        elif last and missing:
            path.append(part)
    return tuple(path)


def _known_keys(path: Path, location: Path) -> list[str]:
    from clusterwright.spec.keys import keys_at

    return keys_at(path, location)


def _shown(value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
