"""Manifests as YAML documents, one file that `kubectl apply -f` takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from clusterwright.render.spec import spec_yaml


def documents(objects: Iterable[Mapping[str, Any]]) -> str:
    """Each object as a YAML document with sorted keys; empty without any."""
    return "".join(f"---\n{spec_yaml(each)}" for each in objects)
