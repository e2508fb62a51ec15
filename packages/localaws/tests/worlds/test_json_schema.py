"""Tests of worlds.json_schema."""

from __future__ import annotations

from pathlib import Path

from clusterwright_localaws.worlds.json_schema import world_schema


def test_the_schema_accepts_the_built_in_worlds() -> None:
    import jsonschema
    from ruamel.yaml import YAML

    folder = (
        Path(__file__).parents[4] / "packages" / "localaws" / "clusterwright_localaws" / "worlds"
    )
    for path in folder.glob("*.yaml"):
        jsonschema.validate(YAML(typ="safe").load(path.read_text()), world_schema())
