"""What CloudFormation's resource schemas say of a change: the copies that cfn-lint brings.

They are found without importing cfn-lint, which would cost a second. They carry a date, and are
CloudFormation's registry schemas: https://github.com/aws-cloudformation/cfn-lint
"""

from __future__ import annotations

import functools
import importlib.util
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Pointer = tuple[str, ...]
"""A property, such as `("Orchestrator", "Eks")`; `*` is any item of a list."""


class SchemasMissing(Exception):
    """cfn-lint, which brings the schemas, is not installed."""

    def __init__(self) -> None:
        super().__init__("CloudFormation's schemas come with cfn-lint, which is not installed")
        self.hint = "pip install 'clusterwright[local]'"


@dataclass(frozen=True)
class ResourceSchema:
    """What a type's schema says of updates."""

    type_name: str
    create_only: frozenset[Pointer]
    conditional: frozenset[Pointer]
    """`conditionalCreateOnlyProperties`: CloudFormation replaces for some values only."""

    identifiers: tuple[frozenset[Pointer], ...]
    """The sets of properties that each identify a resource, the primary one first."""

    read_only: frozenset[Pointer]
    deletes_first: bool
    """A replacement deletes the old resource before it makes the new one."""


class Schemas:
    """The schemas of one region.

    Raises
    ------
    SchemasMissing
        cfn-lint is not installed.
    """

    def __init__(self, region: str) -> None:
        self._folder = _folder()
        path = self._folder / "providers" / f"{region}.json"
        if not path.exists():
            path = self._folder / "providers" / "us-east-1.json"
        self._index: Mapping[str, str] = json.loads(path.read_text(encoding="utf-8"))

    @property
    def date(self) -> str:
        """The day of the schemas, ISO 8601."""
        text = (self._folder / "version.json").read_text(encoding="utf-8")
        return str(json.loads(text)["schema_date"])[:10]

    def of(self, type_name: str) -> ResourceSchema | None:
        """A type's schema; None for custom resources and for types that the region lacks."""
        digest = self._index.get(type_name)
        if digest is None:
            return None
        return _read(self._folder / "resources" / f"{digest}.json")


def parse(body: Mapping[str, Any]) -> ResourceSchema:
    """What a schema document says of updates."""
    identifiers = [body.get("primaryIdentifier", ()), *body.get("additionalIdentifiers", ())]
    return ResourceSchema(
        type_name=str(body["typeName"]),
        create_only=_pointers(body.get("createOnlyProperties", ())),
        conditional=_pointers(body.get("conditionalCreateOnlyProperties", ())),
        identifiers=tuple(_pointers(paths) for paths in identifiers),
        read_only=_pointers(body.get("readOnlyProperties", ())),
        deletes_first=body.get("replacementStrategy") == "delete_then_create",
    )


@functools.lru_cache(maxsize=512)
def _read(path: Path) -> ResourceSchema:
    return parse(json.loads(path.read_text(encoding="utf-8")))


def _folder() -> Path:
    spec = importlib.util.find_spec("cfnlint")
    if spec is None or spec.origin is None:
        raise SchemasMissing
    return Path(spec.origin).parent / "data" / "schemas"


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
