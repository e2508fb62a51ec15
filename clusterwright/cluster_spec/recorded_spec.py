"""The resolved spec in a deployed template (`stacks/base/spec_metadata.py` writes it)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

KEY: Final = "clusterwright:spec"


def recorded_in(template: Mapping[str, Any]) -> str | None:
    """The resolved spec as JSON, which is a valid spec file; None where none is recorded."""
    resources = template.get("Resources")
    for body in resources.values() if isinstance(resources, Mapping) else ():
        metadata = body.get("Metadata") if isinstance(body, Mapping) else None
        found = metadata.get(KEY) if isinstance(metadata, Mapping) else None
        if isinstance(found, str):
            return found
    return None
