"""The effect of an update on a resource: none, a change in place, or a replacement.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-update-behaviors.html
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clusterwright.cfn.resource_schemas import Pointer, value_at
from clusterwright_localaws.cloudformation.evaluate import UNKNOWN, contains_unknown
from clusterwright_localaws.cloudformation.handler import Handler
from clusterwright_localaws.cloudformation.schema import ResourceSchema
from clusterwright_localaws.cloudformation.template import canonical

NEVER, CONDITIONALLY, ALWAYS = "Never", "Conditionally", "Always"


@dataclass(frozen=True)
class PropertyChange:
    """One top-level property whose value changes.

    `recreation` is ``Never``, ``Conditionally`` (not known before the deployment) or
    ``Always``.
    """

    name: str
    recreation: str
    before: Any
    after: Any


@dataclass(frozen=True)
class Difference:
    """The differences of a resource's properties between two revisions."""

    properties: tuple[PropertyChange, ...]

    @property
    def any(self) -> bool:
        """Return whether any property differs."""
        return bool(self.properties)

    @property
    def replacement(self) -> str:
        """``True``, ``False`` or ``Conditional``, as shown in a change set."""
        kinds = {change.recreation for change in self.properties}
        if ALWAYS in kinds:
            return "True"
        return "Conditional" if CONDITIONALLY in kinds else "False"


def difference(
    schema: ResourceSchema | None,
    handler: Handler | None,
    old: Mapping[str, Any],
    new: Mapping[str, Any],
) -> Difference:
    """Compare a resource's evaluated properties before and after.

    A new value that is unknown until the deployment counts as changed, and makes a create-only
    property ``Conditionally`` recreated.
    """
    changed = [
        name
        for name in [*old, *(key for key in new if key not in old)]
        if name not in old or name not in new or canonical(old[name]) != canonical(new[name])
    ]
    forced = handler.replacing(old, new) if handler is not None and changed else set()
    return Difference(
        tuple(
            PropertyChange(
                name,
                _recreation(schema, forced, name, old.get(name), new.get(name)),
                old.get(name),
                new.get(name),
            )
            for name in changed
        )
    )


def _recreation(
    schema: ResourceSchema | None, forced: set[str], name: str, before: Any, after: Any
) -> str:
    if name in forced:
        return CONDITIONALLY if contains_unknown(after) else ALWAYS
    if schema is None:
        return NEVER
    for path in schema.create_only:
        if path[0] != name or _at(before, path[1:]) == _at(after, path[1:]):
            continue
        return CONDITIONALLY if contains_unknown(_at(after, path[1:])) else ALWAYS
    return NEVER


def _at(value: Any, path: Pointer) -> Any:
    return value_at(value, path, lambda part: part is UNKNOWN)
