"""A plan as a change set shows it.

https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_ResourceChange.html
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from clusterwright_localaws.cloudformation.changes import ALWAYS, NEVER, PropertyChange
from clusterwright_localaws.cloudformation.evaluate import UNKNOWN, contains_unknown
from clusterwright_localaws.cloudformation.planning import (
    CREATE,
    KEEP,
    REPLACE,
    UPDATE,
    Plan,
    Step,
)
from clusterwright_localaws.cloudformation.references import references
from clusterwright_localaws.cloudformation.schema import resource_schema
from clusterwright_localaws.cloudformation.state import Resource, Revision, Stack

# The key that marks a change which AWS lists only without property values.
_WITHOUT_VALUES = "WithoutValues"
# Placeholder of a value that is known only after the deployment.
KNOWN_AFTER_APPLY = "{{changeSet:KNOWN_AFTER_APPLY}}"

NO_CHANGES = (
    "The submitted information didn't contain changes. Submit different information to create "
    "a change set."
)


def describe_changes(stack: Stack, revision: Revision, plan: Plan) -> list[dict[str, Any]]:
    """Return the ``Changes`` of a change set, with property values and contexts."""
    changes = []
    changing: set[str] = set()  # whose attributes may change, as AWS sees it without values
    for name, step in plan.steps.items():
        dependent = _dependent(step, changing, stack.region)
        if (
            step.action != KEEP
            or step.attribute_changes
            or (plan.tags_change and _taggable(step, stack.region))
        ):
            changes.append(_change(_of_step(stack, revision, plan, step)))
        elif dependent is not None:
            changes.append({**_change(dependent), _WITHOUT_VALUES: True})
        if step.action == UPDATE or dependent is not None:
            changing.add(name)
    changes.extend(
        _change(_removal(stack.resources[name]))
        for name in plan.removed
        if stack.resources[name].physical_id
    )
    return changes


def shown(changes: list[dict[str, Any]], *, values: bool) -> list[dict[str, Any]]:
    """Return the changes as they are shown with or without ``IncludePropertyValues``."""
    if values:
        return [change for change in changes if _WITHOUT_VALUES not in change]
    return [_without_values(change) for change in changes]


def _dependent(step: Step, changing: set[str], region: str) -> dict[str, Any] | None:
    """Return the change of a resource that uses attributes of resources that change in place.

    As recorded on AWS (docs/reference/probes.md, source `localstack`), only change sets without
    values list it: with values, the attributes are known to stay.
    """
    if step.action != KEEP or step.old is None:
        return None
    schema = resource_schema(step.type_name, region)
    fixed = {path[0] for path in schema.create_only} if schema is not None else set()
    details: list[dict[str, Any]] = [
        {
            "Target": {
                "Attribute": "Properties",
                "Name": name,
                "RequiresRecreation": ALWAYS if name in fixed else NEVER,
            },
            "Evaluation": "Dynamic",
            "ChangeSource": "ResourceAttribute",
            "CausingEntity": f"{reference.name}.{reference.attribute}",
        }
        for name, expression in (step.definition.get("Properties") or {}).items()
        for reference in references(expression)
        if reference.kind == "attribute" and reference.attribute and reference.name in changing
    ]
    if not details:
        return None
    replaced = any(detail["Target"]["RequiresRecreation"] == ALWAYS for detail in details)
    return {
        "Action": "Modify",
        "LogicalResourceId": step.logical_id,
        "PhysicalResourceId": step.old.physical_id,
        "ResourceType": step.type_name,
        "Replacement": "Conditional" if replaced else "False",
        "Scope": ["Properties"],
        "Details": details,
    }


def _without_values(change: Mapping[str, Any]) -> dict[str, Any]:
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
        if not _beside_a_resource(detail, resource["Details"])
    ]
    return _change(resource)


def _beside_a_resource(detail: Mapping[str, Any], details: list[dict[str, Any]]) -> bool:
    """Return whether AWS shows a direct modification with the values of properties only."""
    return (detail["ChangeSource"], detail["Evaluation"]) == (
        "DirectModification",
        "Dynamic",
    ) and any(
        one["Target"].get("Name") == detail["Target"].get("Name")
        and one["ChangeSource"] in ("ResourceReference", "ResourceAttribute")
        for one in details
    )


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
        for detail in _details(changed, step, plan, stack.revision, revision)
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
    changed: PropertyChange, step: Step, plan: Plan, before: Revision | None, after: Revision
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
    for source, entity, evaluation in _causes(changed, expression, plan, before, after):
        detail: dict[str, Any] = {
            "Target": target,
            "Evaluation": evaluation,
            "ChangeSource": source,
        }
        if entity is not None:
            detail["CausingEntity"] = entity
        yield detail


def _causes(
    changed: PropertyChange,
    expression: Any,
    plan: Plan,
    before: Revision | None,
    after: Revision,
) -> Iterator[tuple[str, str | None, str]]:
    """Yield source, entity and evaluation, as recorded on AWS.

    What a changed parameter or resource causes is static, beside a direct modification that is
    dynamic; without such a cause the template itself was modified.
    """
    values = before.parameters if before else {}
    caused = False
    for reference in references(expression):
        now, then = after.parameters.get(reference.name), values.get(reference.name)
        other = plan.steps.get(reference.name)
        if reference.kind == "ref" and now and (not then or then.value != now.value):
            yield "ParameterReference", reference.name, "Static"
        elif other is not None and contains_unknown(changed.after):
            evaluation = "Static" if other.difference.replacement == "True" else "Dynamic"
            if reference.kind == "ref":
                yield "ResourceReference", reference.name, evaluation
            else:
                yield "ResourceAttribute", f"{reference.name}.{reference.attribute}", evaluation
        else:
            continue
        caused = True
    yield "DirectModification", None, "Dynamic" if caused else "Static"


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
