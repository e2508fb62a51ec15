"""JSON Schema of world files: `python -m tools.docs world-schema`."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.worlds.loading import built_in_worlds
from clusterwright_localaws.worlds.model import World


def world_schema() -> dict[str, Any]:
    """Return the schema of a world file: a world, and `extends`."""
    schema: dict[str, Any] = World.model_json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "A world of the local AWS"
    schema["properties"] = {
        "extends": {
            "description": "A built-in world; this file contains only what differs",
            "enum": list(built_in_worlds()),
        },
        **schema["properties"],
    }
    return schema
