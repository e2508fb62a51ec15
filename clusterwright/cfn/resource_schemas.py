"""The resource schemas of CloudFormation, as cfn-lint bundles them.

The files are found without importing cfn-lint, which would take a second. They are dated copies of
CloudFormation's registry schemas: https://github.com/aws-cloudformation/cfn-lint
"""

from __future__ import annotations

import functools
import importlib.util
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Pointer = tuple[str, ...]
"""A property path such as `("Orchestrator", "Eks")`; `*` is any item of a list."""


class SchemasMissing(Exception):
    """cfn-lint, which bundles the schemas, is not installed."""

    def __init__(self) -> None:
        super().__init__("CloudFormation's schemas come with cfn-lint, which is not installed")
        self.hint = "pip install 'clusterwright[cloudformation]'"


class ResourceSchema:
    """The schema of one resource type.

    Attributes
    ----------
    conditional_create_only:
        CloudFormation replaces the resource for some values only.
    identifiers:
        The sets of properties that each identify a resource, the primary one first.
    deletes_first:
        A replacement deletes the old resource before it creates the new one.
    """

    def __init__(self, body: Mapping[str, Any]) -> None:
        self.body = body
        self.type_name = str(body["typeName"])
        self.create_only = _pointers(body.get("createOnlyProperties", ()))
        self.conditional_create_only = _pointers(body.get("conditionalCreateOnlyProperties", ()))
        self.read_only = _pointers(body.get("readOnlyProperties", ()))
        self.write_only = _pointers(body.get("writeOnlyProperties", ()))
        identifiers = [body.get("primaryIdentifier", ()), *body.get("additionalIdentifiers", ())]
        self.identifiers = tuple(_pointers(paths) for paths in identifiers)
        self.deletes_first = body.get("replacementStrategy") == "delete_then_create"

    @property
    def primary_identifier(self) -> frozenset[Pointer]:
        return self.identifiers[0]


class Schemas:
    """The schemas of one region.

    Raises
    ------
    SchemasMissing
        cfn-lint is not installed.
    """

    def __init__(self, region: str) -> None:
        path = _folder() / "providers" / f"{region}.json"
        if not path.exists():
            path = _folder() / "providers" / "us-east-1.json"
        self._index: Mapping[str, str] = json.loads(path.read_text(encoding="utf-8"))

    def of(self, type_name: str) -> ResourceSchema | None:
        """A type's schema; None for custom resources and types that the region lacks."""
        digest = self._index.get(type_name)
        return None if digest is None else _schema(digest)

    def body(self, type_name: str) -> Mapping[str, Any] | None:
        """A type's schema document; None where the region has none."""
        digest = self._index.get(type_name)
        return None if digest is None else _document(digest)


def schema_date() -> str:
    """The date of the bundled schemas, ISO 8601."""
    text = (_folder() / "version.json").read_text(encoding="utf-8")
    return str(json.loads(text)["schema_date"])[:10]


def value_at(value: Any, pointer: Pointer, is_whole: Callable[[Any], bool]) -> Any:
    """The value at a property path; `*` collects from every item of a list.

    A value for which `is_whole` holds (a function, an unknown) stands for every part of it.
    """
    if not pointer or is_whole(value):
        return value
    if pointer[0] == "*":
        if not isinstance(value, list):
            return None
        return [value_at(item, pointer[1:], is_whole) for item in value]
    if isinstance(value, Mapping):
        return value_at(value.get(pointer[0]), pointer[1:], is_whole)
    return None


@functools.lru_cache(maxsize=512)
def _document(digest: str) -> Mapping[str, Any]:
    path = _folder() / "resources" / f"{digest}.json"
    body: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return body


@functools.lru_cache(maxsize=512)
def _schema(digest: str) -> ResourceSchema:
    return ResourceSchema(_document(digest))


def _folder() -> Path:
    spec = importlib.util.find_spec("cfnlint")
    if spec is None or spec.origin is None:
        raise SchemasMissing
    return Path(spec.origin).parent / "data" / "schemas"


@functools.cache
def extension(folder: str, name: str) -> Mapping[str, Any]:
    """Return one of cfn-lint's own schemas, such as `aws_rds_dbinstance`, `engine_version`."""
    path = _folder() / "extensions" / folder / f"{name}.json"
    body: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return body


def _pointers(paths: Any) -> frozenset[Pointer]:
    # Some schemas write the members of objects as `properties/X`, and of lists as `items` or `*`.
    return frozenset(
        tuple(
            "*" if part == "items" else part
            for part in str(path).removeprefix("/properties/").split("/")
            if part != "properties"
        )
        for path in paths
    )
