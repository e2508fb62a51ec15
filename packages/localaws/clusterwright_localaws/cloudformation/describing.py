"""Stacks, resources, events and change sets in the shapes of the API's answers."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from clusterwright_localaws.cloudformation.changesets import shown
from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.cloudformation.state import (
    ChangeSet,
    Event,
    Failure,
    Resource,
    Revision,
    Stack,
)
from clusterwright_localaws.core.call import Call

T = TypeVar("T")

PAGE_SIZE = 100

# Status texts of the events of DescribeEvents.
_FAILED = "_FAILED"


def page(items: Sequence[T], call: Call, size: int = PAGE_SIZE) -> tuple[list[T], str | None]:
    """Return the page of a list that a call asks for, and the token of the next.

    CloudFormation chooses the size; a world's fault may make it smaller.

    Raises
    ------
    ValidationError
    The token was not issued by this service.
    """
    start = 0
    token = call.parameters.get("NextToken")
    if token is not None:
        try:
            start = int(base64.urlsafe_b64decode(token.encode()).decode())
        except (ValueError, binascii.Error):
            raise ValidationError("Invalid NextToken") from None
    end = start + min(size, call.page_limit or size)
    more = base64.urlsafe_b64encode(str(end).encode()).decode() if end < len(items) else None
    return list(items[start:end]), more


def compact(**members: Any) -> dict[str, Any]:
    """Return the members that are not None."""
    return {key: value for key, value in members.items() if value is not None}


def tags_of(tags: Mapping[str, str]) -> list[dict[str, str]]:
    """Return tags as a list of pairs."""
    return [{"Key": key, "Value": value} for key, value in tags.items()]


def _parameters(revision: Revision | None) -> list[dict[str, Any]] | None:
    """Return the parameters of a stack or change set; without any the member is absent."""
    return [one.described() for one in revision.parameters.values()] or None if revision else None


def stack_shape(stack: Stack) -> dict[str, Any]:
    """Return a stack as ``DescribeStacks`` shows it."""
    revision = stack.revision
    with stack.lock:
        return compact(
            StackId=stack.stack_id,
            StackName=stack.name,
            ChangeSetId=stack.change_set_id,
            Description=revision.template.description if revision else None,
            Parameters=_parameters(revision),
            CreationTime=stack.created,
            DeletionTime=stack.deleted,
            LastUpdatedTime=stack.updated,
            RollbackConfiguration=dict(revision.rollback_configuration) if revision else {},
            StackStatus=stack.status,
            StackStatusReason=stack.reason,
            DisableRollback=stack.disable_rollback,
            NotificationARNs=list(revision.notification_arns) if revision else [],
            TimeoutInMinutes=stack.timeout_minutes,
            Capabilities=(list(revision.capabilities) or None) if revision else None,
            Outputs=[
                compact(
                    OutputKey=one.key,
                    OutputValue=one.value,
                    Description=one.description,
                    ExportName=one.export,
                )
                for one in stack.outputs
            ]
            or None,
            RoleARN=revision.role_arn if revision else None,
            Tags=tags_of(revision.tags) if revision else [],
            EnableTerminationProtection=stack.termination_protection,
            ParentId=stack.parent_id,
            RootId=stack.root_id,
            DriftInformation=drift_shape(stack),
            DeploymentConfig=dict(stack.deployment_config) if stack.deployment_config else None,
            LastOperations=[
                {"OperationId": number, "OperationType": kind}
                for number, kind in reversed(stack.operations)
            ][:1]
            or None,
        )


def drift_shape(stack: Stack) -> dict[str, Any]:
    """Return a stack's drift information."""
    return compact(
        StackDriftStatus=stack.drift.get("status", "NOT_CHECKED"),
        LastCheckTimestamp=stack.drift.get("time"),
    )


def stack_summary(stack: Stack) -> dict[str, Any]:
    """Return a stack as ``ListStacks`` shows it."""
    return compact(
        StackId=stack.stack_id,
        StackName=stack.name,
        TemplateDescription=stack.revision.template.description if stack.revision else None,
        CreationTime=stack.created,
        LastUpdatedTime=stack.updated,
        DeletionTime=stack.deleted,
        StackStatus=stack.status,
        StackStatusReason=stack.reason,
        ParentId=stack.parent_id,
        RootId=stack.root_id,
        DriftInformation=drift_shape(stack),
    )


def event_shape(stack: Stack, event: Event) -> dict[str, Any]:
    """Return an event as ``DescribeStackEvents`` shows it."""
    return compact(
        StackId=stack.stack_id,
        EventId=event.event_id,
        StackName=stack.name,
        OperationId=event.operation_id or None,
        LogicalResourceId=event.logical_id,
        PhysicalResourceId=event.physical_id,
        ResourceType=event.resource_type,
        Timestamp=event.time,
        ResourceStatus=event.status,
        ResourceStatusReason=event.reason,
        ResourceProperties=event.properties,
        ClientRequestToken=event.token,
        DetailedStatus=event.detailed_status,
    )


def operation_event_shape(stack: Stack, event: Event) -> dict[str, Any]:
    """Return an event as ``DescribeEvents`` shows it."""
    kinds = dict(stack.operations)
    kind = "PROGRESS_EVENT"
    if event.detailed_status == "VALIDATION_FAILED":
        kind = "VALIDATION_ERROR"
    elif event.status.endswith(_FAILED):
        kind = "PROVISIONING_ERROR"
    elif event.physical_id == stack.stack_id:
        kind = "STACK_EVENT"
    shape = event_shape(stack, event)
    del shape["StackName"]  # the one member that DescribeEvents does not have
    return shape | compact(OperationType=kinds.get(event.operation_id), EventType=kind)


def failure_shape(stack: Stack, failure: Failure) -> dict[str, Any]:
    """Return what early validation found, as ``DescribeEvents`` shows it."""
    return compact(
        EventId=failure.event_id,
        StackId=stack.stack_id,
        OperationId=failure.operation_id,
        OperationType="CREATE_CHANGESET",
        OperationStatus="FAILED" if _fails(stack, failure) else "SUCCEEDED",
        EventType="VALIDATION_ERROR",
        LogicalResourceId=failure.logical_id,
        PhysicalResourceId=failure.physical_id,
        ResourceType=failure.resource_type,
        Timestamp=failure.time,
        ValidationFailureMode=failure.mode,
        ValidationName=failure.name,
        ValidationStatus="FAILED",
        ValidationStatusReason=failure.message,
        ValidationPath=failure.path,
    )


def _fails(stack: Stack, failure: Failure) -> bool:
    """Return whether the operation of a finding failed, by that finding or by another one."""
    return any(
        one.mode == "FAIL" for one in stack.failures if one.operation_id == failure.operation_id
    )


def resource_shape(stack: Stack, one: Resource) -> dict[str, Any]:
    """Return a resource as ``DescribeStackResources`` shows it."""
    return compact(
        StackName=stack.name,
        StackId=stack.stack_id,
        LogicalResourceId=one.logical_id,
        PhysicalResourceId=one.physical_id or None,
        ResourceType=one.type_name,
        Timestamp=one.time,
        ResourceStatus=one.status,
        ResourceStatusReason=one.reason,
        DriftInformation=resource_drift(one),
    )


def resource_detail(stack: Stack, one: Resource) -> dict[str, Any]:
    """Return a resource as ``DescribeStackResource`` shows it."""
    import json

    shape = resource_shape(stack, one)
    shape["LastUpdatedTimestamp"] = shape.pop("Timestamp")
    metadata = one.definition.get("Metadata")
    if metadata is not None:
        shape["Metadata"] = json.dumps(metadata)
    return shape


def resource_summary(one: Resource) -> dict[str, Any]:
    """Return a resource as ``ListStackResources`` shows it."""
    return compact(
        LogicalResourceId=one.logical_id,
        PhysicalResourceId=one.physical_id or None,
        ResourceType=one.type_name,
        LastUpdatedTimestamp=one.time,
        ResourceStatus=one.status,
        ResourceStatusReason=one.reason,
        DriftInformation=resource_drift(one),
    )


def resource_drift(one: Resource) -> dict[str, Any]:
    """Return a resource's drift information."""
    return compact(StackResourceDriftStatus=one.drift_status, LastCheckTimestamp=one.drift_time)


def change_set_summary(stack: Stack, one: ChangeSet) -> dict[str, Any]:
    """Return a change set as ``ListChangeSets`` shows it."""
    return compact(
        StackId=stack.stack_id,
        StackName=stack.name,
        ChangeSetId=one.change_set_id,
        ChangeSetName=one.name,
        ExecutionStatus=one.execution_status,
        Status=one.status,
        StatusReason=one.reason,
        CreationTime=one.created,
        Description=one.description,
        IncludeNestedStacks=one.include_nested_stacks,
        ImportExistingResources=one.import_existing,
    )


def change_set_shape(stack: Stack, one: ChangeSet, call: Call, *, values: bool) -> dict[str, Any]:
    """Return a page of a change set as ``DescribeChangeSet`` shows it."""
    changes, more = page(shown(one.changes, values=values), call)
    revision = one.revision
    return compact(
        ChangeSetName=one.name,
        ChangeSetId=one.change_set_id,
        StackId=stack.stack_id,
        StackName=stack.name,
        Description=one.description,
        Parameters=_parameters(revision),
        CreationTime=one.created,
        ExecutionStatus=one.execution_status,
        Status=one.status,
        StatusReason=one.reason or (one.warning if values else None),
        NotificationARNs=list(revision.notification_arns) if revision else [],
        RollbackConfiguration=dict(revision.rollback_configuration) if revision else {},
        Capabilities=list(revision.capabilities) if revision else None,
        Tags=(tags_of(revision.tags) or None) if revision else None,
        Changes=changes,
        NextToken=more,
        IncludeNestedStacks=one.include_nested_stacks,
        OnStackFailure=one.on_stack_failure,
        ImportExistingResources=one.import_existing or None,
        DeploymentConfig=dict(one.deployment_config) if one.deployment_config else None,
    )
