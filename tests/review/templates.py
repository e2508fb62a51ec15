"""Small templates for the tests of the review."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright.cfn.resource_schemas import Schemas
from clusterwright.review.assembly import Assembly, StackTemplate, pseudo_parameters
from clusterwright.review.resource_changes import ChangeAnalysis, analyse
from clusterwright.review.results import ResourceChange

REGION = "us-east-1"
KNOWN = pseudo_parameters("111122223333", REGION, "aws")
SCHEMAS = Schemas(REGION)


def resource(kind: str, /, **attributes: Any) -> dict[str, Any]:
    """A resource; attributes that begin with a capital and are none of the template's own go to
    its properties.
    """
    own = {"DeletionPolicy", "UpdateReplacePolicy", "Condition", "Metadata", "DependsOn"}
    body: dict[str, Any] = {"Type": kind}
    properties = {k: v for k, v in attributes.items() if k not in own}
    if properties:
        body["Properties"] = properties
    return body | {k: v for k, v in attributes.items() if k in own}


def stack(resources: Mapping[str, Any], **sections: Any) -> dict[str, Any]:
    return {"Resources": dict(resources), **sections}


def app(**stacks: Mapping[str, Any]) -> Assembly:
    """An assembly of templates by name."""
    return Assembly({name: StackTemplate(name, body) for name, body in stacks.items()}, KNOWN)


def analysis(before: Assembly, after: Assembly) -> ChangeAnalysis:
    return analyse(before, after, SCHEMAS.of)


def changes(before: Assembly, after: Assembly) -> dict[str, ResourceChange]:
    """Effect on each resource, as `<stack>/<logical id>`."""
    return {change.name: change for change in analysis(before, after).changes}


def export(name: str, value: Any) -> dict[str, Any]:
    return {"Value": value, "Export": {"Name": name}}
