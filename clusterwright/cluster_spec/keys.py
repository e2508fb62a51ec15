"""Keys and fields of the spec by path, for hints and error recovery."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from clusterwright.cluster_spec.problems import Path


def keys_at(path: Path, location: Path = ()) -> list[str]:
    """Return the names (or aliases) of the keys that the mapping at `path` may have.

    `location` is pydantic's location, which names the selected member of a union.
    """
    models = _models_at(path)
    # Of a union, only the member that pydantic selected counts; its tag is in the location.
    chosen = [m for m in models if _tag(m) in location] or models
    return sorted({key for model in chosen for key in fields_of(model)})


def field_at(path: Path) -> FieldInfo | None:
    """Return the field at `path`, whose last part is a key; None if the spec has no such key."""
    for model in _models_at(path[:-1]):
        found = fields_of(model).get(str(path[-1]))
        if found is not None:
            return found
    return None


def places_of(key: str) -> list[str]:
    """Return the paths of keys with this name: `network.cidr`, `storage.lustre[].efa`."""
    from clusterwright.cluster_spec.models.cluster import Cluster

    return [place for place in _places(Cluster, "") if place.rpartition(".")[2] == key]


def fields_of(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the model's fields by the name used in a file."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def models_in(annotation: Any) -> list[type[BaseModel]]:
    """Return the models in an annotation, at any depth."""
    # `isinstance(list[str], type)` can be true, so the origin is checked first.
    if typing.get_origin(annotation) is None and isinstance(annotation, type):
        return [annotation] if issubclass(annotation, BaseModel) else []
    return [found for argument in typing.get_args(annotation) for found in models_in(argument)]


def is_list(annotation: Any) -> bool:
    """Return whether the annotation is a list, possibly optional or annotated."""
    if typing.get_origin(annotation) is list:
        return True
    return any(is_list(argument) for argument in typing.get_args(annotation))


def _models_at(path: Path) -> list[type[BaseModel]]:
    from clusterwright.cluster_spec.models.cluster import Cluster

    models: list[type[BaseModel]] = [Cluster]
    for part in path:
        if isinstance(part, int):
            continue
        models = [
            found
            for model in models
            for key, field in fields_of(model).items()
            if part == key
            for found in models_in(field.annotation)
        ]
    return models


def _places(model: type[BaseModel], prefix: str) -> Iterator[str]:
    for key, field in fields_of(model).items():
        yield prefix + key
        brackets = "[]" if is_list(field.annotation) else ""
        for child in models_in(field.annotation):
            yield from _places(child, f"{prefix}{key}{brackets}.")


def _tag(model: type[BaseModel]) -> str | None:
    kind = model.model_fields.get("kind")
    arguments = typing.get_args(kind.annotation) if kind else ()
    return str(arguments[0]) if len(arguments) == 1 else None
