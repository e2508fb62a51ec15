"""Condense definitions of custom resources: `python -m tools.custom_fields SOURCE=FOLDER ...`.

Each FOLDER has CustomResourceDefinitions of one project in YAML; SOURCE says which project and
version. What is printed has the form of `clusterwright/jobs/kubernetes_fields.json`, and its
definitions refer to those of that file for pods and metadata. The definitions of the projects
are in no package, so the file is written by hand after a look at the difference:

    python -m tools.custom_fields SOURCE=FOLDER ... >clusterwright/jobs/custom_fields.json
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

_POD: Final = "core.v1.PodSpec"
_TEMPLATE: Final = "core.v1.PodTemplateSpec"
_METADATA: Final = "apis.meta.v1.ObjectMeta"
_SMALLEST: Final = 3
"""An object with as many fields as one of Kubernetes' own, all of the same names, is that one."""

_KNOWN: Final = Path(__file__).resolve().parents[1] / "clusterwright/jobs/kubernetes_fields.json"
_SCALARS: Final = frozenset({"string", "integer", "number", "boolean"})


class _Condensed:
    def __init__(self) -> None:
        self.kinds: dict[str, str] = {}
        self.definitions: dict[str, dict[str, str]] = {}
        known = json.loads(_KNOWN.read_text(encoding="utf-8"))
        self.known = {
            frozenset(fields): name
            for name, fields in known["definitions"].items()
            if name not in known["required"]
        }

    def add(self, definition: Mapping[str, Any]) -> None:
        spec = definition["spec"]
        kind, group = spec["names"]["kind"], spec["group"]
        for version in spec["versions"]:
            name = version["name"]
            if not version.get("served", True):
                continue
            if version.get("deprecated") and "alpha" in name:
                self.kinds[f"{group}/{name} {kind}"] = ""  # known, and not described
                continue
            root = f"{group}.{name}.{kind}"
            self.kinds[f"{group}/{name} {kind}"] = root
            schema = version["schema"]["openAPIV3Schema"]
            fields = {"apiVersion": "string", "kind": "string", "metadata": _METADATA}
            for key, inner in schema["properties"].items():
                if key not in ("status", *fields):
                    fields[key] = self._type(inner, f"{root}{key[0].upper()}{key[1:]}")
            self.definitions[root] = fields

    def _type(self, schema: Mapping[str, Any], name: str) -> str:
        properties = schema.get("properties")
        if schema.get("x-kubernetes-int-or-string") or "anyOf" in schema:
            return "quantity"
        if schema.get("x-kubernetes-preserve-unknown-fields"):
            return "any"
        if properties and "containers" in properties:
            return _POD
        if properties and properties.keys() == {"metadata", "spec"}:
            inner = properties["spec"].get("properties", {})
            if "containers" in inner:
                return _TEMPLATE
        if properties and {"annotations", "labels"} <= properties.keys():
            return _METADATA
        if properties and len(properties) >= _SMALLEST and frozenset(properties) in self.known:
            return str(self.known[frozenset(properties)])
        if properties:
            self.definitions[name] = {
                key: self._type(inner, f"{name}.{key}") for key, inner in properties.items()
            }
            return name
        kind = schema.get("type")
        if kind == "array":
            return "[" + self._type(schema["items"], name)
        if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
            return "{" + self._type(schema["additionalProperties"], name)
        return str(kind) if kind in _SCALARS else "any"


def main(arguments: list[str]) -> int:
    """Print the document of the definitions in the folders."""
    condensed = _Condensed()
    sources = []
    for argument in arguments:
        source, _, folder = argument.rpartition("=")
        sources.append(source)
        for definition in _definitions(Path(folder)):
            condensed.add(definition)
    document = {
        "source": "; ".join(sources),
        "kinds": dict(sorted(condensed.kinds.items())),
        "definitions": {
            key: dict(sorted(fields.items()))
            for key, fields in sorted(condensed.definitions.items())
        },
        "required": {},
    }
    print(json.dumps(document, indent=1))
    return 0


def _definitions(folder: Path) -> Iterator[Mapping[str, Any]]:
    for path in sorted(folder.glob("*.yaml")):
        for document in yaml.load_all(path.read_text(encoding="utf-8"), yaml.CSafeLoader):
            if document and document.get("kind") == "CustomResourceDefinition":
                yield document


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
