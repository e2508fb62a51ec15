"""Merging of a spec with `base.yaml`: mappings are merged, other values are replaced.

A key set to null is absent; in the spec it removes the value of `base.yaml`. If one file has a
mapping and the other does not, that is an error with both positions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from clusterwright.cluster_spec.document import Document, kind_of
from clusterwright.cluster_spec.problems import Path, Position, Problem

BASE_NAME = "base.yaml"


@dataclass
class Layers:
    """Merged plain data, and the document of each path (lowest layer first)."""

    data: dict[str, Any]
    documents: tuple[Document, ...]
    origin: dict[Path, Document] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    """Contradictions between documents; `data` has the value of the lower one."""

    def position(self, path: Path, *, on_key: bool = False) -> Position | None:
        """Return the position of the effective value, or of its nearest written ancestor."""
        for end in range(len(path), -1, -1):
            document = self.origin.get(path[:end])
            if document is not None:
                return document.position(path, on_key=on_key)
        return None

    def written(self, path: Path) -> Position | None:
        """Return the position of the effective value, or None if no document has it."""
        document = self.origin.get(path)
        return document.values.get(path) if document is not None else None

    def empty_key(self, path: Path) -> Position | None:
        """Return the position of the key of `path` without a value, in the topmost document."""
        for document in reversed(self.documents):
            if path in document.keys:
                return document.keys[path]
        return None


def lay(documents: tuple[Document, ...]) -> Layers:
    """Merge documents, later ones on top."""
    layers = Layers({}, documents)
    for document in documents:
        layers.origin[()] = document
        layers.data = _over(layers.data, document.data, (), document, layers)
    return layers


def _over(
    below: dict[str, Any], above: dict[str, Any], path: Path, document: Document, layers: Layers
) -> dict[str, Any]:
    result = dict(below)
    for key, value in above.items():
        here = (*path, key)
        old = below.get(key)
        if value is None:
            if result.pop(key, None) is not None:
                _forget(here, layers)
        elif isinstance(value, dict) and (old is None or isinstance(old, dict)):
            layers.origin[here] = document
            result[key] = _over(old or {}, value, here, document, layers)
        elif old is not None and (isinstance(old, dict) or isinstance(value, dict)):
            layers.problems.append(_contradiction(key, value, old, here, document, layers))
        else:
            if old is not None:
                _forget(here, layers)
            _mark(value, here, document, layers)
            result[key] = without_nulls(value)
    return result


def _contradiction(
    key: str, value: Any, old: Any, here: Path, document: Document, layers: Layers
) -> Problem:
    first = layers.position(here)
    return Problem(
        f"`{key}` is {kind_of(value)} here and {kind_of(old)} in the layer below",
        here,
        hint="all layers of a spec must use the same type of value for a key",
        note=f"the other is at {first.file}:{first.line}" if first else None,
        position=document.position(here),
    )


def without_nulls(value: Any) -> Any:
    """Return `value` without the keys that are set to null."""
    if isinstance(value, dict):
        return {key: without_nulls(child) for key, child in value.items() if child is not None}
    if isinstance(value, list):
        return [without_nulls(child) for child in value]
    return value


def _mark(value: Any, path: Path, document: Document, layers: Layers) -> None:
    if value is None:
        return
    layers.origin[path] = document
    children: Any = ()
    if isinstance(value, dict):
        children = value.items()
    elif isinstance(value, list):
        children = enumerate(value)
    for key, child in children:
        _mark(child, (*path, key), document, layers)


def _forget(path: Path, layers: Layers) -> None:
    for known in [p for p in layers.origin if p[: len(path)] == path]:
        del layers.origin[known]
