"""Fields of pods and of the objects that have them, condensed from the schemas of Kubernetes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.metadata import version
from importlib.resources import files
from typing import Any, Final

VERSION: Final = "1.37"
"""The newest version of the package: a field of any supported version is in it."""

ROOTS: Final = (
    "core.v1.Pod",
    "batch.v1.Job",
    "batch.v1.CronJob",
    "apps.v1.Deployment",
    "apps.v1.StatefulSet",
    "apps.v1.DaemonSet",
)
_PREFIX: Final = "io.k8s.api."
_REFERENCE: Final = "#/$defs/"


def text() -> str:
    """Return the file: `definitions` has the type of each field, `required` its names.

    A type is the name of a definition, or string, integer, number, boolean, quantity (a text or a
    number) or any; `[TYPE` is a list, `{TYPE` a mapping with any keys.
    """
    folder = files("kubernetes_validate") / "kubernetes-json-schema" / f"v{VERSION}.0-local-strict"
    schemas = json.loads((folder / "_definitions.json").read_text(encoding="utf-8"))["$defs"]
    definitions: dict[str, dict[str, str]] = {}
    required: dict[str, list[str]] = {}
    waiting = [_PREFIX + root for root in ROOTS]
    while waiting:
        name = waiting.pop()
        if _short(name) in definitions:
            continue
        schema = schemas[name]
        properties = {k: v for k, v in schema.get("properties", {}).items() if k != "status"}
        definitions[_short(name)] = {key: _type(v, schemas) for key, v in properties.items()}
        if schema.get("required"):
            required[_short(name)] = sorted(schema["required"])
        waiting += [one for part in properties.values() for one in _objects(part, schemas)]
    document = {
        "source": f"kubernetes-validate {version('kubernetes-validate')}, Kubernetes {VERSION}",
        "kinds": dict(sorted(_kinds(schemas))),
        "definitions": {
            key: dict(sorted(definitions[key].items())) for key in sorted(definitions)
        },
        "required": dict(sorted(required.items())),
    }
    return json.dumps(document, indent=1) + "\n"


def _short(name: str) -> str:
    return name.removeprefix(_PREFIX).removeprefix("io.k8s.apimachinery.pkg.")


def _kinds(schemas: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for root in ROOTS:
        (kind,) = schemas[_PREFIX + root]["x-kubernetes-group-version-kind"]
        group = f"{kind['group']}/" if kind["group"] else ""
        yield f"{group}{kind['version']} {kind['kind']}", root


def _type(schema: dict[str, Any], schemas: dict[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_REFERENCE)
        referred = schemas[name]
        return _short(name) if "properties" in referred else _type(referred, schemas)
    if "oneOf" in schema:
        return "quantity"
    kind = schema.get("type")
    kinds = [one for one in (kind if isinstance(kind, list) else [kind]) if one != "null"]
    if kinds == ["array"]:
        return "[" + _type(schema["items"], schemas)
    if kinds == ["object"] and isinstance(schema.get("additionalProperties"), dict):
        return "{" + _type(schema["additionalProperties"], schemas)
    if kinds in (["string"], ["integer"], ["number"], ["boolean"]):
        return str(kinds[0])
    return "any"


def _objects(schema: dict[str, Any], schemas: dict[str, Any]) -> Iterator[str]:
    """The definitions with properties that a schema refers to, itself or in its members."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_REFERENCE)
        if "properties" in schemas[name]:
            yield name
    for inner in (schema.get("items"), schema.get("additionalProperties")):
        if isinstance(inner, dict):
            yield from _objects(inner, schemas)
