"""Looking at stacks, their resources and their history.

https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_Operations.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.cloudformation import describing
from clusterwright_localaws.cloudformation.api.common import store_of
from clusterwright_localaws.cloudformation.describing import compact, page
from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.cloudformation.state import Stack
from clusterwright_localaws.cloudformation.store import Store
from clusterwright_localaws.core.call import Call, operation


@operation("cloudformation", "DescribeStacks")
def describe_stacks(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    name = request.get("StackName")
    stacks = [store.find(name)] if name else store.stacks()
    found, more = page(stacks, call)
    return compact(Stacks=[describing.stack_shape(one) for one in found], NextToken=more)


@operation("cloudformation", "ListStacks")
def list_stacks(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    desired = request.get("StackStatusFilter")
    stacks = [one for one in store.stacks(deleted=True) if not desired or one.status in desired]
    found, more = page(stacks, call)
    return compact(StackSummaries=[describing.stack_summary(one) for one in found], NextToken=more)


@operation("cloudformation", "DescribeStackEvents")
def describe_stack_events(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    stack = store.find(request["StackName"], message="Stack [{}] does not exist")
    with stack.lock:
        events = stack.events[::-1]
    found, more = page(events, call)
    return compact(
        StackEvents=[describing.event_shape(stack, one) for one in found], NextToken=more
    )


@operation("cloudformation", "DescribeEvents")
def describe_events(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    operation_id, change_set_name = request.get("OperationId"), request.get("ChangeSetName")
    stack_name = request.get("StackName")
    if not (operation_id or change_set_name or stack_name):
        raise ValidationError("One of ChangeSetName, OperationId or StackName must be specified")
    only_failed = request.get("Filters", {}).get("FailedEvents", False)
    if change_set_name:
        stack, change_set = store.change_set(stack_name, change_set_name)
        operation_id = change_set.operation_id
    elif stack_name:
        stack = store.find(stack_name, message="Stack [{}] does not exist")
    else:
        stack = _stack_of_operation(store, str(operation_id))
    shapes = [
        describing.failure_shape(stack, one)
        for one in reversed(stack.failures)
        if operation_id in (None, one.operation_id)
    ] + [
        describing.operation_event_shape(stack, one)
        for one in reversed(stack.events)
        if operation_id in (None, one.operation_id)
    ]
    if only_failed:
        shapes = [
            one for one in shapes if one["EventType"] in ("VALIDATION_ERROR", "PROVISIONING_ERROR")
        ]
    found, more = page(shapes, call)
    return compact(OperationEvents=found, NextToken=more)


@operation("cloudformation", "DescribeStackResource")
def describe_stack_resource(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    stack = store.find(request["StackName"], message="Stack '{}' does not exist")
    name = request["LogicalResourceId"]
    if name not in stack.resources:
        raise ValidationError(f"Resource {name} does not exist for stack {request['StackName']}")
    return {"StackResourceDetail": describing.resource_detail(stack, stack.resources[name])}


@operation("cloudformation", "DescribeStackResources")
def describe_stack_resources(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    name, physical = request.get("StackName"), request.get("PhysicalResourceId")
    if name and physical:
        raise ValidationError("StackName and PhysicalResourceId cannot both be specified.")
    if name:
        stack = store.find(name)
    elif physical:
        stack = _stack_of_resource(store, physical)
    else:
        raise ValidationError("Either StackName or PhysicalResourceId must be specified.")
    desired = request.get("LogicalResourceId")
    with stack.lock:
        resources = [
            one for one in stack.resources.values() if desired is None or one.logical_id == desired
        ]
    return {"StackResources": [describing.resource_shape(stack, one) for one in resources]}


@operation("cloudformation", "ListStackResources")
def list_stack_resources(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    stack = store.find(request["StackName"])
    with stack.lock:
        resources = list(stack.resources.values())
    found, more = page(resources, call)
    return compact(
        StackResourceSummaries=[describing.resource_summary(one) for one in found],
        NextToken=more,
    )


@operation("cloudformation", "ListHookResults")
def list_hook_results(call: Call) -> Mapping[str, Any]:
    # No hooks can be registered here, so none has a result.
    none: list[Mapping[str, Any]] = []
    return {"HookResults": page(none, call)[0]}


def _stack_of_resource(store: Store, physical_id: str) -> Stack:
    for stack in store.stacks():
        if any(one.physical_id == physical_id for one in stack.resources.values()):
            return stack
    raise ValidationError(f"Stack for {physical_id} does not exist")


def _stack_of_operation(store: Store, operation_id: str) -> Stack:
    for stack in store.stacks(deleted=True):
        if any(number == operation_id for number, _ in stack.operations):
            return stack
    raise ValidationError(f"Operation [{operation_id}] does not exist")
