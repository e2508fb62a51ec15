"""A plan as a change set shows it.

https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_ResourceChange.html
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from clusterwright_localaws.cloudformation.changes import PropertyChange
from clusterwright_localaws.cloudformation.evaluate import UNKNOWN, contains_unknown
from clusterwright_localaws.cloudformation.planning import CREATE, KEEP, REPLACE, Plan, Step
from clusterwright_localaws.cloudformation.references import references
from clusterwright_localaws.cloudformation.schema import resource_schema
from clusterwright_localaws.cloudformation.state import Resource, Revision, Stack
from clusterwright_localaws.cloudformation.template import canonical

# Placeholder of a value that is known only after the deployment.
KNOWN_AFTER_APPLY = "{{changeSet:KNOWN_AFTER_APPLY}}"

NO_CHANGES = (
    "The submitted information didn't contain changes. Submit different information to create "
    "a change set."
)


def describe_changes(stack: Stack, revision: Revision, plan: Plan) -> list[dict[str, Any]]:
    """Return the ``Changes`` of a change set, with property values and contexts."""
    changes = [
        _change(_of_step(stack, revision, plan, step))
        for step in plan.steps.values()
        if step.action != KEEP
        or step.attribute_changes
        or (plan.tags_change and _taggable(step, stack.region))
    ]
    changes.extend(
        _change(_removal(stack.resources[name]))
        for name in plan.removed
        if stack.resources[name].physical_id
    )
    return changes


def without_values(change: Mapping[str, Any]) -> dict[str, Any]:
    """Return a change as it is shown without ``IncludePropertyValues``."""
    resource = {
        key: value
        for key, value in change["ResourceChange"].items()
        if key not in ("BeforeContext", "AfterContext")
    }
    resource["Details"] = [
        {
            **detail,
            "Target": {
                key: value
                for key, value in detail["Target"].items()
                if key in ("Attribute", "Name", "RequiresRecreation")
            },
        }
        for detail in resource["Details"]
    ]
    return {**change, "ResourceChange": resource}


def _change(resource: dict[str, Any]) -> dict[str, Any]:
    return {"Type": "Resource", "ResourceChange": resource}


def _of_step(stack: Stack, revision: Revision, plan: Plan, step: Step) -> dict[str, Any]:
    after = _context(step.properties, step.definition)
    if step.action == CREATE:
        return {
            "Action": "Add",
            "LogicalResourceId": step.logical_id,
            "ResourceType": step.type_name,
            "Scope": [],
            "Details": [],
            "AfterContext": after,
        }
    assert step.old is not None
    retagged = plan.tags_change and _taggable(step, stack.region)
    scope = []
    if step.difference.any:
        scope.append("Properties")
    scope.extend(step.attribute_changes)
    details = [
        detail
        for changed in step.difference.properties
        for detail in _details(changed, step, stack.revision, revision)
    ]
    details.extend(
        {
            "Target": {"Attribute": name, "RequiresRecreation": "Never"},
            "Evaluation": "Static",
            "ChangeSource": "DirectModification",
        }
        for name in step.attribute_changes
    )
    if retagged:
        scope.append("Tags")
        details.append(
            {
                "Target": {"Attribute": "Tags", "RequiresRecreation": "Never"},
                "Evaluation": "Static",
                "ChangeSource": "DirectModification",
            }
        )
    out = {
        "Action": "Modify",
        "LogicalResourceId": step.logical_id,
        "PhysicalResourceId": step.old.physical_id,
        "ResourceType": step.type_name,
        "Replacement": step.difference.replacement,
        "Scope": scope,
        "Details": details,
        "BeforeContext": _context(step.old.properties, step.old.definition),
        "AfterContext": after,
    }
    if step.action == REPLACE:
        policy = step.definition.get("UpdateReplacePolicy", "Delete")
        out["PolicyAction"] = {
            "Retain": "ReplaceAndRetain",
            "RetainExceptOnCreate": "ReplaceAndRetain",
            "Snapshot": "ReplaceAndSnapshot",
        }.get(policy if isinstance(policy, str) else "", "ReplaceAndDelete")
    return out


def _removal(old: Resource) -> dict[str, Any]:
    policy = {"RetainExceptOnCreate": "Retain"}.get(
        old.deletion_policy or "", old.deletion_policy or "Delete"
    )
    return {
        "PolicyAction": policy,
        "Action": "Remove",
        "LogicalResourceId": old.logical_id,
        "PhysicalResourceId": old.physical_id,
        "ResourceType": old.type_name,
        "Scope": [],
        "Details": [],
        "BeforeContext": _context(old.properties, old.definition),
    }


def _details(
    changed: PropertyChange, step: Step, before: Revision | None, after: Revision
) -> Iterator[dict[str, Any]]:
    target: dict[str, Any] = {
        "Attribute": "Properties",
        "Name": changed.name,
        "RequiresRecreation": changed.recreation,
        "Path": f"/Properties/{changed.name}",
    }
    if changed.before is not None:
        target["BeforeValue"] = _value(changed.before)
    if changed.after is not None:
        target["AfterValue"] = _value(changed.after)
    if changed.before is None:
        target["AttributeChangeType"] = "Add"
    else:
        target["AttributeChangeType"] = "Remove" if changed.after is None else "Modify"
    expression = (step.definition.get("Properties") or {}).get(changed.name)
    causes = list(_causes(changed, expression, step, before, after))
    for source, entity in causes or [("DirectModification", None)]:
        detail: dict[str, Any] = {
            "Target": target,
            # Static: known before the deployment.
            "Evaluation": "Dynamic" if contains_unknown(changed.after) else "Static",
            "ChangeSource": source,
        }
        if entity is not None:
            detail["CausingEntity"] = entity
        yield detail


def _causes(
    changed: PropertyChange,
    expression: Any,
    step: Step,
    before: Revision | None,
    after: Revision,
) -> Iterator[tuple[str, str | None]]:
    old = (step.old.definition.get("Properties") or {}) if step.old else {}
    rewritten = canonical(old.get(changed.name)) != canonical(expression)
    if rewritten:
        yield "DirectModification", None
    if contains_unknown(changed.after):
        for reference in references(expression):
            if reference.name not in after.template.resources:
                continue
            if reference.kind == "ref":
                yield "ResourceReference", reference.name
            elif reference.kind == "attribute":
                yield "ResourceAttribute", f"{reference.name}.{reference.attribute}"
    elif not rewritten:
        values = before.parameters if before else {}
        for reference in references(expression):
            now = after.parameters.get(reference.name)
            then = values.get(reference.name)
            if reference.kind == "ref" and now and (not then or then.value != now.value):
                yield "ParameterReference", reference.name


def _context(properties: Mapping[str, Any], definition: Mapping[str, Any]) -> str:
    shown: dict[str, Any] = {"Properties": _plain(properties)}
    for key in ("Metadata", "DeletionPolicy", "UpdateReplacePolicy"):
        if key in definition:
            shown[key] = definition[key]
    return json.dumps(shown)


def _plain(value: Any) -> Any:
    if value is UNKNOWN:
        return KNOWN_AFTER_APPLY
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value


def _value(value: Any) -> str:
    plain = _plain(value)
    return plain if isinstance(plain, str) else json.dumps(plain)


def _taggable(step: Step, region: str) -> bool:
    schema = resource_schema(step.type_name, region)
    return schema is not None and schema.tag_property is not None
