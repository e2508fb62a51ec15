"""The JSON Schema: current, valid, and as strict as the models as far as a schema can be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from clusterwright.cluster_spec import schema
from clusterwright.cluster_spec.document import parse_document
from tests.support.rich_specs import (
    BUILT,
    EXISTING,
    SCRIPTED,
    paths,
    renamed,
    value_at,
    with_value,
    without,
)

CONFIGS = Path(__file__).parents[2] / "configs"
SCHEMA_FILE = Path(__file__).parents[2] / "schema" / "cluster.schema.json"
FILES = [p for p in sorted(CONFIGS.rglob("*.yaml")) if p.parent.name != "users"]


@pytest.fixture(scope="module")
def validator() -> Any:
    return jsonschema.Draft202012Validator(schema.json_schema())


def test_schema_is_valid() -> None:
    jsonschema.Draft202012Validator.check_schema(schema.json_schema())


def test_every_key_is_described() -> None:
    found = schema.json_schema()
    for definition in (found, *found["$defs"].values()):
        assert definition["description"]
        for key, value in definition["properties"].items():
            assert value["description"], key


@pytest.mark.parametrize("file", FILES, ids=lambda p: str(p.relative_to(CONFIGS)))
def test_every_config_is_valid(validator: Any, file: Path) -> None:
    data = parse_document(file.read_text(), str(file)).data
    assert [error.message for error in validator.iter_errors(data)] == []


@pytest.mark.parametrize("file", FILES, ids=lambda p: str(p.relative_to(CONFIGS)))
def test_every_config_names_the_schema_for_editors(file: Path) -> None:
    first = file.read_text().splitlines()[0]
    assert first.startswith("# yaml-language-server: $schema=")
    assert (file.parent / first.partition("=")[2]).resolve() == SCHEMA_FILE.resolve()


@pytest.mark.parametrize(
    "base", [BUILT, EXISTING, SCRIPTED], ids=["built", "existing", "scripted"]
)
def test_the_rich_specs_are_valid(validator: Any, base: dict[str, Any]) -> None:
    assert [error.message for error in validator.iter_errors(base)] == []


KEYS = [p for p in paths(BUILT) if isinstance(p[-1], str) and p[0] != "tags"]


@pytest.mark.parametrize("path", KEYS, ids=str)
def test_unknown_keys_are_refused(validator: Any, path: tuple[str | int, ...]) -> None:
    assert not validator.is_valid(renamed(BUILT, path, f"{path[-1]}z"))


@pytest.mark.parametrize("path", KEYS, ids=str)
def test_wrong_types_are_refused(validator: Any, path: tuple[str | int, ...]) -> None:
    wrong: Any = [1] if isinstance(value_at(BUILT, path), dict) else {"x": 1}
    assert not validator.is_valid(with_value(BUILT, path, wrong))


def test_key_of_a_mapping_can_be_in_another_layer(validator: Any) -> None:
    assert validator.is_valid({"network": {"cidr": "10.0.0.0/16"}})
    assert validator.is_valid({"budget": None, "network": {"cidr": None}})


@pytest.mark.parametrize(
    "path",
    [
        ("compute", 0, "count"),
        ("compute", 2, "capacity", "arn"),
        ("storage", "lustre", 0, "repositories", 0, "s3"),
        ("slurm", "users", 0, "uid"),
        ("waivers", 0, "expires"),
    ],
    ids=str,
)
def test_list_entries_must_be_complete(validator: Any, path: tuple[str | int, ...]) -> None:
    assert not validator.is_valid(without(BUILT, path))


@pytest.mark.parametrize("path", [("partition",), ("storage", "lustre", 0, "name")], ids=str)
def test_derived_keys_are_optional(validator: Any, path: tuple[str | int, ...]) -> None:
    assert validator.is_valid(without(BUILT, path))


@pytest.mark.parametrize(
    ("users", "valid"),
    [("users/dev.yaml", True), ([], True), (None, True), (5, False), ("", False), ({}, False)],
)
def test_users_are_a_list_or_a_path(validator: Any, users: Any, valid: bool) -> None:
    assert validator.is_valid({"slurm": {"users": users}}) is valid


def test_pydantic_titles_are_removed() -> None:
    text = json.dumps(schema.json_schema())
    assert "discriminator" not in text
    assert "\\\\p{" not in text
    assert '"title"' not in text.replace('"title": "Clusterwright spec"', "")
