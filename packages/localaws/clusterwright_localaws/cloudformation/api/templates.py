"""Templates: those of stacks, and those that are only inspected.

https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_Operations.html
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.cloudformation.api.common import store_of
from clusterwright_localaws.cloudformation.describing import compact
from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.cloudformation.evaluate import UNKNOWN
from clusterwright_localaws.cloudformation.planning import make_scope
from clusterwright_localaws.cloudformation.processed import processed_text
from clusterwright_localaws.cloudformation.requests import read_template
from clusterwright_localaws.cloudformation.schema import resource_schema
from clusterwright_localaws.cloudformation.state import Revision, Stack
from clusterwright_localaws.cloudformation.template import Template
from clusterwright_localaws.core.call import Call, operation


@operation("cloudformation", "GetTemplate")
def get_template(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    if request.get("ChangeSetName"):
        if not request.get("StackName") and not request["ChangeSetName"].startswith("arn:"):
            raise ValidationError("StackName is a required parameter.")
        stack, change_set = store.change_set(request.get("StackName"), request["ChangeSetName"])
        revision = change_set.revision
    else:
        if not request.get("StackName"):
            raise ValidationError("StackName is required if ChangeSetName is not specified.")
        stack = store.find(request["StackName"])
        revision = stack.revision
    return compact(
        TemplateBody=_stage(stack, revision, request.get("TemplateStage")) if revision else None,
        StagesAvailable=["Original", "Processed"],
    )


def _stage(stack: Stack, revision: Revision, stage: str | None) -> str:
    if stage == "Original":
        return revision.template.source
    scope = make_scope(stack, revision, ref=_unknown, attribute=_unknown, import_value=_unknown)
    return processed_text(revision.template, scope)


def _unknown(*_: object) -> Any:
    return UNKNOWN


@operation("cloudformation", "GetTemplateSummary")
def get_template_summary(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    if request.get("StackName"):
        stack = store.find(request["StackName"])
        revision = stack.revision
        if revision is None or stack.status == "REVIEW_IN_PROGRESS":
            raise ValidationError(
                "GetTemplateSummary cannot be called on REVIEW_IN_PROGRESS stacks."
            )
        template = revision.template
    else:
        template = read_template(store, request)
    needed, why = template.capabilities()
    metadata = template.body.get("Metadata")
    return compact(
        Parameters=[_declared(name, one) for name, one in template.parameters.items()],
        Description=template.description,
        Capabilities=needed or None,
        CapabilitiesReason=why or None,
        ResourceTypes=sorted({one["Type"] for one in template.resources.values()}),
        Version=str(template.body.get("AWSTemplateFormatVersion", "2010-09-09")),
        Metadata=json.dumps(metadata) if metadata else None,
        DeclaredTransforms=template.transforms or None,
        ResourceIdentifierSummaries=_identifiers(template, store.region),
    )


@operation("cloudformation", "ValidateTemplate")
def validate_template(call: Call) -> Mapping[str, Any]:
    template = read_template(store_of(call), call.parameters)
    needed, why = template.capabilities()
    return compact(
        Parameters=[
            compact(
                ParameterKey=name,
                DefaultValue=_default(one),
                NoEcho=str(one.get("NoEcho", "false")).lower() == "true",
                Description=one.get("Description"),
            )
            for name, one in template.parameters.items()
        ],
        Description=template.description,
        Capabilities=needed or None,
        CapabilitiesReason=why or None,
        DeclaredTransforms=template.transforms or None,
    )


def _declared(name: str, one: Mapping[str, Any]) -> dict[str, Any]:
    allowed = one.get("AllowedValues")
    return compact(
        ParameterKey=name,
        DefaultValue=_default(one),
        ParameterType=one["Type"],
        NoEcho=str(one.get("NoEcho", "false")).lower() == "true",
        Description=one.get("Description"),
        ParameterConstraints={"AllowedValues": [str(item) for item in allowed]} if allowed else {},
    )


def _default(one: Mapping[str, Any]) -> str | None:
    return str(one["Default"]) if "Default" in one else None


def _identifiers(template: Template, region: str) -> list[dict[str, Any]]:
    by_type: dict[str, list[str]] = {}
    for name, resource in template.resources.items():
        by_type.setdefault(resource["Type"], []).append(name)
    out = []
    for kind, names in by_type.items():
        schema = resource_schema(kind, region)
        if schema is not None:
            out.append(
                {
                    "ResourceType": kind,
                    "LogicalResourceIds": names,
                    "ResourceIdentifiers": sorted(path[-1] for path in schema.primary_identifier),
                }
            )
    return out
