"""The JSON Schema of the spec (2020-12), for editors and other programs.

`python -m tools.docs cluster-schema` writes schema/cluster.schema.json. The schema describes one
file of several layers: a key of a mapping may come from base.yaml, so only entries of lists have
required keys. `clusterwright check` checks what a schema cannot express.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from clusterwright.cluster_spec.field_docs import docstrings, summary
from clusterwright.cluster_spec.keys import fields_of, is_list, models_in
from clusterwright.cluster_spec.models.cluster import Cluster

_PYDANTIC_ONLY = ("title", "discriminator")


def json_schema() -> dict[str, Any]:
    """The schema as plain data."""
    schema = Cluster.model_json_schema(by_alias=True)
    models = {model.__name__: model for model in _models(Cluster)}
    layered = set(_layered(Cluster))
    for name, definition in [("Cluster", schema), *schema["$defs"].items()]:
        _describe(definition, models[name], complete=name not in layered)
    _users_or_path(schema["$defs"]["Slurm"])
    _tidy(schema)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Clusterwright spec",
        **schema,
    }


def _models(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    yield model
    for field in model.model_fields.values():
        for child in models_in(field.annotation):
            yield from _models(child)


def _layered(model: type[BaseModel]) -> Iterator[str]:
    """Return the names of models whose mappings are merged with those of base.yaml."""
    yield model.__name__
    for field in model.model_fields.values():
        if not is_list(field.annotation):
            for child in models_in(field.annotation):
                yield from _layered(child)


def _describe(definition: dict[str, Any], model: type[BaseModel], *, complete: bool) -> None:
    definition["description"] = summary(model)
    required = set(definition.pop("required", ()))
    if complete and required:
        # The name of a file system is derived from its mount path; it is optional in the model
        # too.
        definition["required"] = sorted(required)
    texts = docstrings(model)
    fields = fields_of(model)
    for key, value in definition.get("properties", {}).items():
        name = next(n for n, f in model.model_fields.items() if f is fields[key])
        given = value if complete and key in required else _or_null(value)
        definition["properties"][key] = {"description": texts[name], **given}


def _or_null(value: dict[str, Any]) -> dict[str, Any]:
    """Allow null, which means "absent" and removes the value of a lower layer."""
    null = {"type": "null"}
    value = {k: v for k, v in value.items() if not (k == "default" and v is None)}
    if null in value.get("anyOf", ()):
        return value
    if "enum" in value or "const" in value:
        options = value.get("enum") or [value["const"]]
        rest = {k: v for k, v in value.items() if k not in ("type", "const")}
        return {**rest, "enum": [*options, None]}
    if isinstance(value.get("type"), str):
        return {**value, "type": [value["type"], "null"]}
    if "anyOf" in value:
        return {**value, "anyOf": [*value["anyOf"], null]}
    return {"anyOf": [value, null]}


def _users_or_path(slurm: dict[str, Any]) -> None:
    users = slurm["properties"]["users"]
    description, default = users.pop("description"), users.pop("default")
    users["type"] = "array"
    slurm["properties"]["users"] = {
        "description": description,
        "default": default,
        "anyOf": [users, {"type": "string", "minLength": 1}, {"type": "null"}],
    }


def _tidy(schema: Any) -> None:
    """Remove, in place, what only pydantic understands."""
    if isinstance(schema, list):
        for item in schema:
            _tidy(item)
    if not isinstance(schema, dict):
        return
    for key in _PYDANTIC_ONLY:
        schema.pop(key, None)
    if "\\p{" in schema.get("pattern", ""):
        # Regular expression engines differ in character classes; the models check these patterns.
        del schema["pattern"]
    for pattern in [p for p in schema.get("patternProperties", {}) if "\\p{" in p]:
        schema["additionalProperties"] = schema.pop("patternProperties")[pattern]
    for key, child in schema.items():
        # The keys of `properties` and `$defs` are names, not schema keywords.
        if key in ("properties", "$defs"):
            for named in child.values():
                _tidy(named)
        elif key not in ("default", "examples", "enum"):
            _tidy(child)
