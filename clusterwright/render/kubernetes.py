"""Manifests as YAML documents for `kubectl apply -f`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from clusterwright.render.spec import spec_yaml


def documents(objects: Iterable[Mapping[str, Any]]) -> str:
    """Each object as a YAML document with sorted keys."""
    return "".join(f"---\n{spec_yaml(item)}" for item in objects)
