"""Which keys the spec knows at a path: for spelling hints."""

from __future__ import annotations

import types
import typing
from typing import Any

from pydantic import BaseModel

from clusterwright.spec.problems import Path


def keys_at(path: Path, location: Path = ()) -> list[str]:
    """Names (aliases where there are) of the keys that the mapping at `path` may have."""
    from clusterwright.spec.models.cluster import Cluster

    models: list[type[BaseModel]] = [Cluster]
    for part in path:
        if isinstance(part, int):
            continue
        models = [
            found
            for model in models
            for name, field in model.model_fields.items()
            if part in (name, field.alias)
            for found in _models_in(field.annotation)
        ]
    # Of a union only the member that pydantic chose is meant; its tag is in the location.
    chosen = [m for m in models if _tag(m) in location] or models
    return sorted({field.alias or name for m in chosen for name, field in m.model_fields.items()})


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and not isinstance(annotation, types.GenericAlias):
        return [annotation] if issubclass(annotation, BaseModel) else []
    return [found for argument in typing.get_args(annotation) for found in _models_in(argument)]


def _tag(model: type[BaseModel]) -> str | None:
    kind = model.model_fields.get("kind")
    arguments = typing.get_args(kind.annotation) if kind else ()
    return str(arguments[0]) if len(arguments) == 1 else None
