"""Lays an environment's file over `base.yaml`: mappings merge, everything else is replaced whole.

A key set to null in the environment takes the base's value away. Where one file has a mapping and
the other something else, the two contradict each other and the reader is told both places.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from clusterwright.spec.document import Document, kind_of
from clusterwright.spec.problems import Path, Position, Problem, SpecErrors

BASE_NAME = "base.yaml"


@dataclass
class Layers:
    """Merged plain data, and which document each path came from (lowest layer first)."""

    data: dict[str, Any]
    documents: tuple[Document, ...]
    origin: dict[Path, Document] = field(default_factory=dict)

    def position(self, path: Path, *, on_key: bool = False) -> Position | None:
        """Where the value in force stands; its nearest written ancestor if it is not written."""
        for end in range(len(path), -1, -1):
            document = self.origin.get(path[:end])
            if document is not None:
                return document.position(path, on_key=on_key)
        return None


def lay(documents: tuple[Document, ...]) -> Layers:
    """Merge documents, later ones on top. Raises SpecErrors where two contradict each other."""
    layers = Layers({}, documents)
    problems: list[Problem] = []
    for document in documents:
        layers.origin[()] = document
        layers.data = _over(layers.data, document.data, (), document, layers, problems)
    if problems:
        raise SpecErrors(problems)
    return layers


def _over(
    below: dict[str, Any],
    above: dict[str, Any],
    path: Path,
    document: Document,
    layers: Layers,
    problems: list[Problem],
) -> dict[str, Any]:
    result = dict(below)
    for key, value in above.items():
        here = (*path, key)
        old = below.get(key)
        if value is None and old is not None:
            result.pop(key, None)
            _forget(here, layers)
            continue
        if isinstance(value, dict) and (old is None or isinstance(old, dict)):
            layers.origin[here] = document
            result[key] = _over(old or {}, value, here, document, layers, problems)
            continue
        if old is not None and (isinstance(old, dict) or isinstance(value, dict)):
            first = layers.position(here)
            problems.append(
                Problem(
                    f"`{key}` is {kind_of(value)} here and {kind_of(old)} below it",
                    here,
                    hint="two layers of one spec must agree on what a key holds",
                    note=f"the other is at {first.file}:{first.line}" if first else None,
                    position=document.position(here),
                )
            )
            continue
        _forget(here, layers)
        layers.origin[here] = document
        _mark(value, here, document, layers)
        result[key] = value
    return result


def _mark(value: Any, path: Path, document: Document, layers: Layers) -> None:
    children = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        children = enumerate(value)  # type: ignore[assignment]
    for key, child in children:
        layers.origin[(*path, key)] = document
        _mark(child, (*path, key), document, layers)


def _forget(path: Path, layers: Layers) -> None:
    for known in [p for p in layers.origin if p[: len(path)] == path]:
        del layers.origin[known]
