"""CloudFormation's API: one function per operation.

Parameters have passed the API model, and answers are checked against it, by the gateway. An
operation of the model that is not here is refused as AWS refuses one it does not know: at once,
and with a code that no SDK retries.

https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_Operations.html
"""

from __future__ import annotations

import datetime as dt
import json
import re
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from clusterwright.localaws.call import Call, Operation
from clusterwright.localaws.cloudformation import describing, drift
from clusterwright.localaws.cloudformation.changesets import NO_CHANGES, describe_changes
from clusterwright.localaws.cloudformation.describing import compact, page
from clusterwright.localaws.cloudformation.errors import (
    AlreadyExists,
    CloudFormationError,
    InvalidChangeSetStatus,
    NotBuilt,
    StackNotFound,
    ValidationError,
)
from clusterwright.localaws.cloudformation.operations import Operation as StackOperation
from clusterwright.localaws.cloudformation.planning import Plan, make_plan
from clusterwright.localaws.cloudformation.requests import (
    read_revision,
    read_template,
)
from clusterwright.localaws.cloudformation.schema import resource_schema
from clusterwright.localaws.cloudformation.stack_policy import read_policy
from clusterwright.localaws.cloudformation.state import (
    UPDATABLE,
    UPDATABLE_AFTER_FAILURE,
    ChangeSet,
    Failure,
    Stack,
)
from clusterwright.localaws.cloudformation.store import ExportMissing, Store
from clusterwright.localaws.cloudformation.template import Template

OPERATIONS: dict[str, Operation] = {}

_CHANGE_SET_NAME = re.compile(r"[a-zA-Z][-a-zA-Z0-9]{0,127}")

# What a failed early validation says, and which validation it was.
# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/validate-stack-deployments.html
_EARLY_VALIDATION = (
    "The following hook(s)/validation failed: [AWS::EarlyValidation::PropertyValidation]. To "
    "troubleshoot Early Validation errors, use the DescribeEvents API for detailed failure "
    "information."
)


def operation(name: str) -> Callable[[Operation], Operation]:
    """Name the API operation that a function is."""

    def register(function: Operation) -> Operation:
        OPERATIONS[name] = function
        return function

    return register


def not_built(name: str) -> Operation:
    """Return the refusal of an operation that the local AWS does not have."""

    def refuse(call: Call) -> Mapping[str, Any]:
        raise NotBuilt(f"The local AWS does not implement CloudFormation's {name}.")

    return refuse


def store_of(call: Call) -> Store:
    """Return the stacks of the caller's account and region."""
    return call.runtime.store(
        "cloudformation",
        call.account,
        call.region,
        lambda: Store(call.account, call.region),
    )


# --- stacks ---------------------------------------------------------------------------------


@operation("CreateStack")
def create_stack(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    token = request.get("ClientRequestToken")
    for one in store.stacks():
        same = token and one.name == request["StackName"] and one.events
        if same and one.events[0].token == token:
            return {"StackId": one.stack_id}  # the same request once more
    if "OnFailure" in request and "DisableRollback" in request:
        raise ValidationError("You cannot specify both OnFailure and DisableRollback.")
    _refuse_modes(request)
    stack = _draft(store, request["StackName"])
    revision = read_revision(store, stack, request)
    _plan_or_none(stack, revision, store)
    policy = _policy_text(store, request, "StackPolicy")
    stack = store.add(request["StackName"])
    stack.on_failure = request.get("OnFailure", "ROLLBACK")
    stack.disable_rollback = (
        request.get("DisableRollback", False) or stack.on_failure == "DO_NOTHING"
    )
    stack.timeout_minutes = request.get("TimeoutInMinutes")
    stack.termination_protection = request.get("EnableTerminationProtection", False)
    stack.policy = policy
    stack.deployment_config = request.get("DeploymentConfig")
    stack.revision = revision
    worker = StackOperation(store, stack, token=token)
    store.begin(worker, "CREATE_STACK")
    stack.enter("CREATE_IN_PROGRESS", "User Initiated", token)
    worker.start(
        lambda: worker.deploy(
            revision,
            creating=True,
            keep_on_create=not request.get("RetainExceptOnCreate", False),
        )
    )
    return _answer_when_settled(worker)


@operation("UpdateStack")
def update_stack(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    stack = store.find(request["StackName"], message="Stack [{}] does not exist")
    _refuse_unless_updatable(stack)
    _refuse_modes(request)
    revision = read_revision(store, stack, request)
    plan = _plan_or_none(stack, revision, store)
    if plan is not None and plan.changes_nothing:
        raise ValidationError("No updates are to be performed.")
    during = _policy_text(store, request, "StackPolicyDuringUpdate")
    lasting = _policy_text(store, request, "StackPolicy")
    token = request.get("ClientRequestToken")
    worker = StackOperation(store, stack, token=token)
    worker.policy = during or stack.policy
    store.begin(worker, "UPDATE_STACK")
    if lasting is not None:
        stack.policy = lasting
    stack.disable_rollback = request.get("DisableRollback", False)
    stack.deployment_config = request.get("DeploymentConfig", stack.deployment_config)
    _begin_update(stack, token)
    worker.start(
        lambda: worker.deploy(
            revision,
            creating=False,
            keep_on_create=not request.get("RetainExceptOnCreate", False),
        )
    )
    return _answer_when_settled(worker)


@operation("DeleteStack")
def delete_stack(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    try:
        stack = store.find(request["StackName"])
    except StackNotFound:
        return {}  # AWS is silent about a stack that is not there
    if stack.gone:
        return {}
    if stack.termination_protection:
        raise ValidationError(
            f"Stack [{stack.name}] cannot be deleted while TerminationProtection is enabled"
        )
    retain = request.get("RetainResources", [])
    force = request.get("DeletionMode") == "FORCE_DELETE_STACK"
    if (retain or force) and stack.status != "DELETE_FAILED":
        raise ValidationError(
            f"Invalid operation on stack [{stack.stack_id}]. Only a stack in DELETE_FAILED state "
            "can be deleted with resources retained or by force."
        )
    unknown = [name for name in retain if name not in stack.resources]
    if unknown:
        raise ValidationError(
            f"The specified resources [{', '.join(unknown)}] do not exist in the stack."
        )
    running = store.running(stack)
    if running is not None:
        if stack.status == "DELETE_IN_PROGRESS":
            return {}
        if not stack.status.startswith("CREATE_"):
            raise ValidationError(
                f"Stack:{stack.stack_id} is in {stack.status} state and can not be updated."
            )
        # A stack that is being created may be deleted: what it has so far goes.
        running.cancel("Stack deletion requested")
        running.finished.wait()
    for name in stack.exports():
        importers = [one for one in store.importers(name) if one != stack.name]
        if importers:
            # The stack keeps its status and says why: https://github.com/aws/aws-cdk/issues/604
            listed = " and ".join(importers)
            stack.enter(
                stack.status, f"Export {name} cannot be deleted as it is in use by {listed}"
            )
            return {}
    token = request.get("ClientRequestToken")
    worker = StackOperation(store, stack, token=token)
    store.begin(worker, "DELETE_STACK")
    stack.enter("DELETE_IN_PROGRESS", "User Initiated", token)
    worker.start(lambda: worker.delete(retain, force=force))
    _answer_when_settled(worker)
    return {}


@operation("DescribeStacks")
def describe_stacks(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    name = request.get("StackName")
    stacks = [store.find(name)] if name else store.stacks()
    found, more = page(stacks, request.get("NextToken"))
    return compact(Stacks=[describing.stack_shape(one) for one in found], NextToken=more)


@operation("ListStacks")
def list_stacks(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    wanted = request.get("StackStatusFilter")
    stacks = [one for one in store.stacks(deleted=True) if not wanted or one.status in wanted]
    found, more = page(stacks, request.get("NextToken"))
    return compact(StackSummaries=[describing.stack_summary(one) for one in found], NextToken=more)


@operation("DescribeStackEvents")
def describe_stack_events(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    stack = store.find(request["StackName"], message="Stack [{}] does not exist")
    with stack.lock:
        events = stack.events[::-1]
    found, more = page(events, request.get("NextToken"))
    return compact(
        StackEvents=[describing.event_shape(stack, one) for one in found], NextToken=more
    )


@operation("DescribeEvents")
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
    found, more = page(shapes, request.get("NextToken"))
    return compact(OperationEvents=found, NextToken=more)


@operation("DescribeStackResource")
def describe_stack_resource(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    stack = store.find(request["StackName"], message="Stack '{}' does not exist")
    name = request["LogicalResourceId"]
    if name not in stack.resources:
        raise ValidationError(f"Resource {name} does not exist for stack {stack.name}")
    return {"StackResourceDetail": describing.resource_detail(stack, stack.resources[name])}


@operation("DescribeStackResources")
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
    wanted = request.get("LogicalResourceId")
    with stack.lock:
        resources = [
            one for one in stack.resources.values() if wanted is None or one.logical_id == wanted
        ]
    return {"StackResources": [describing.resource_shape(stack, one) for one in resources]}


@operation("ListStackResources")
def list_stack_resources(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    stack = store.find(request["StackName"])
    with stack.lock:
        resources = list(stack.resources.values())
    found, more = page(resources, request.get("NextToken"))
    return compact(
        StackResourceSummaries=[describing.resource_summary(one) for one in found],
        NextToken=more,
    )


@operation("UpdateTerminationProtection")
def update_termination_protection(call: Call) -> Mapping[str, Any]:
    stack = store_of(call).find(call.parameters["StackName"], message="Stack [{}] does not exist")
    if stack.gone:
        raise ValidationError(f"Stack [{stack.name}] does not exist")
    stack.termination_protection = call.parameters["EnableTerminationProtection"]
    return {"StackId": stack.stack_id}


@operation("SetStackPolicy")
def set_stack_policy(call: Call) -> Mapping[str, Any]:
    store = store_of(call)
    stack = store.find(call.parameters["StackName"], message="Stack [{}] does not exist")
    stack.policy = _policy_text(store, call.parameters, "StackPolicy")
    return {}


@operation("GetStackPolicy")
def get_stack_policy(call: Call) -> Mapping[str, Any]:
    stack = store_of(call).find(call.parameters["StackName"], message="Stack [{}] does not exist")
    return compact(StackPolicyBody=stack.policy)


@operation("CancelUpdateStack")
def cancel_update_stack(call: Call) -> Mapping[str, Any]:
    store = store_of(call)
    stack = store.find(call.parameters["StackName"], message="Stack [{}] does not exist")
    running = store.running(stack)
    if running is None or stack.status != "UPDATE_IN_PROGRESS":
        raise ValidationError("CancelUpdateStack cannot be called from current stack status")
    running.cancel("User Initiated")
    return {}


@operation("ContinueUpdateRollback")
def continue_update_rollback(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    stack = store.find(request["StackName"], message="Stack [{}] does not exist")
    if stack.status != "UPDATE_ROLLBACK_FAILED":
        raise ValidationError(
            f"Stack:{stack.stack_id} is in {stack.status} state and can not continue update "
            "rollback."
        )
    skip = request.get("ResourcesToSkip", [])
    wrong = [
        name
        for name in skip
        if name not in stack.resources or not stack.resources[name].status.endswith("_FAILED")
    ]
    if wrong:
        raise ValidationError(
            f"The following resource(s) cannot be skipped: [{', '.join(wrong)}]. Only resources "
            "in UPDATE_FAILED state can be."
        )
    worker = StackOperation(store, stack, token=request.get("ClientRequestToken"))
    store.begin(worker, "CONTINUE_ROLLBACK")
    worker.start(lambda: worker.roll_back_update("User Initiated", skip))
    _answer_when_settled(worker)
    return {}


@operation("RollbackStack")
def rollback_stack(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    stack = store.find(request["StackName"], message="Stack [{}] does not exist")
    if stack.status not in UPDATABLE_AFTER_FAILURE:
        raise ValidationError(
            f"Stack:{stack.stack_id} is in {stack.status} state and can not be rolled back."
        )
    worker = StackOperation(store, stack, token=request.get("ClientRequestToken"))
    store.begin(worker, "ROLLBACK")
    if stack.status == "CREATE_FAILED" and stack.stable is None:
        worker.start(lambda: worker.roll_back_creation(None))
    else:
        worker.start(lambda: worker.roll_back_update(None))
    return {**_answer_when_settled(worker), "OperationId": stack.operations[-1][0]}


# --- templates ------------------------------------------------------------------------------


@operation("GetTemplate")
def get_template(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    if request.get("ChangeSetName"):
        _, change_set = store.change_set(request.get("StackName"), request["ChangeSetName"])
        revision = change_set.revision
    else:
        if not request.get("StackName"):
            raise ValidationError("Either StackName or ChangeSetName must be specified.")
        revision = store.find(request["StackName"]).revision
    return compact(
        TemplateBody=revision.template.source if revision else None,
        StagesAvailable=["Original", "Processed"],
    )


@operation("GetTemplateSummary")
def get_template_summary(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    if request.get("StackName"):
        revision = store.find(request["StackName"]).revision
        if revision is None:
            raise ValidationError(f"Stack with id {request['StackName']} has no template")
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


@operation("ValidateTemplate")
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


# --- exports --------------------------------------------------------------------------------


@operation("ListExports")
def list_exports(call: Call) -> Mapping[str, Any]:
    exports = [
        {"ExportingStackId": stack.stack_id, "Name": name, "Value": value}
        for name, value, stack in store_of(call).exports()
    ]
    found, more = page(
        sorted(exports, key=lambda one: one["Name"]), call.parameters.get("NextToken")
    )
    return compact(Exports=found, NextToken=more)


@operation("ListImports")
def list_imports(call: Call) -> Mapping[str, Any]:
    store, name = store_of(call), call.parameters["ExportName"]
    if store.exporter(name) is None:
        raise ValidationError(f"Export '{name}' does not exist.")
    importers = store.importers(name)
    if not importers:
        raise ValidationError(f"Export '{name}' is not imported by any stack.")
    found, more = page(importers, call.parameters.get("NextToken"))
    return compact(Imports=found, NextToken=more)


# --- change sets ----------------------------------------------------------------------------


@operation("CreateChangeSet")
def create_change_set(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    kind = request.get("ChangeSetType", "UPDATE")
    name = request["ChangeSetName"]
    # `cdk bootstrap` asks for ImportExistingResources. It changes nothing unless a resource of
    # that name exists outside the stack; its creation then fails, where AWS would adopt it.
    if kind == "IMPORT":
        raise ValidationError("The local AWS does not import existing resources into stacks.")
    if request.get("DeploymentMode") == "REVERT_DRIFT":
        raise ValidationError("The local AWS does not revert drift by a change set.")
    _refuse_modes(request)
    if not _CHANGE_SET_NAME.fullmatch(name):
        raise ValidationError(
            f"1 validation error detected: Value '{name}' at 'changeSetName' failed to satisfy "
            "constraint: Member must satisfy regular expression pattern: [a-zA-Z][-a-zA-Z0-9]*"
        )
    stack, new = _stack_for_change_set(store, request["StackName"], kind, name)
    if name in stack.change_sets:
        raise AlreadyExists(f"ChangeSet {name} already exists for Stack {stack.stack_id}")
    revision = read_revision(store, stack, request)
    if new:
        stack = store.add(request["StackName"])
        stack.enter("REVIEW_IN_PROGRESS", "User Initiated", request.get("ClientToken"))
        stack.revision = revision
    operation_id = str(uuid.uuid4())
    with store.lock:
        stack.operations.append((operation_id, "CREATE_CHANGESET"))
    change_set = ChangeSet(
        name=name,
        change_set_id=(
            f"arn:{store.partition}:cloudformation:{store.region}:{store.account}:"
            f"changeSet/{name}/{uuid.uuid4()}"
        ),
        stack_id=stack.stack_id,
        kind=kind,
        revision=revision,
        created=dt.datetime.now(dt.UTC),
        description=request.get("Description"),
        include_nested_stacks=request.get("IncludeNestedStacks", False),
        on_stack_failure=request.get("OnStackFailure"),
        deployment_config=request.get("DeploymentConfig"),
        operation_id=operation_id,
    )
    stack.change_sets[name] = change_set
    _fill_change_set(store, stack, change_set, validate=not request.get("DisableValidation"))
    return {"Id": change_set.change_set_id, "StackId": stack.stack_id}


@operation("DescribeChangeSet")
def describe_change_set(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    stack, change_set = store_of(call).change_set(
        request.get("StackName"), request["ChangeSetName"]
    )
    return describing.change_set_shape(
        stack,
        change_set,
        values=request.get("IncludePropertyValues", False),
        token=request.get("NextToken"),
    )


@operation("ListChangeSets")
def list_change_sets(call: Call) -> Mapping[str, Any]:
    stack = store_of(call).find(call.parameters["StackName"], message="Stack [{}] does not exist")
    found, more = page(list(stack.change_sets.values()), call.parameters.get("NextToken"))
    return compact(
        Summaries=[describing.change_set_summary(stack, one) for one in found], NextToken=more
    )


@operation("DeleteChangeSet")
def delete_change_set(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    try:
        stack, change_set = store.change_set(request.get("StackName"), request["ChangeSetName"])
    except CloudFormationError as error:
        if error.code == "ChangeSetNotFound":
            return {}  # AWS answers success for one that is not there
        raise
    if change_set.execution_status == "EXECUTE_IN_PROGRESS":
        raise InvalidChangeSetStatus(
            f"ChangeSet [{change_set.change_set_id}] cannot be deleted while it is executed"
        )
    stack.change_sets.pop(change_set.name, None)
    return {}


@operation("ExecuteChangeSet")
def execute_change_set(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    stack, change_set = store.change_set(request.get("StackName"), request["ChangeSetName"])
    if change_set.execution_status != "AVAILABLE":
        raise InvalidChangeSetStatus(
            f"ChangeSet [{change_set.change_set_id}] cannot be executed in its current status of "
            f"[{change_set.status}]"
        )
    creating = stack.status == "REVIEW_IN_PROGRESS"
    if not creating:
        _refuse_unless_updatable(stack)
    revision = change_set.revision
    assert revision is not None
    token = request.get("ClientRequestToken")
    worker = StackOperation(store, stack, token=token)
    worker.policy = stack.policy
    store.begin(worker, "CREATE_STACK" if creating else "UPDATE_STACK")
    change_set.execution_status = "EXECUTE_IN_PROGRESS"
    stack.change_set_id = change_set.change_set_id
    # Other change sets were made for a stack that will no longer be.
    stack.change_sets = {change_set.name: change_set}
    stack.on_failure = change_set.on_stack_failure or "ROLLBACK"
    stack.disable_rollback = (
        request.get("DisableRollback", False) or stack.on_failure == "DO_NOTHING"
    )
    stack.deployment_config = change_set.deployment_config
    if creating:
        stack.enter("CREATE_IN_PROGRESS", "User Initiated", token)
    else:
        _begin_update(stack, token)

    def work() -> None:
        worker.deploy(
            revision,
            creating=creating,
            keep_on_create=not request.get("RetainExceptOnCreate", False),
        )
        done = stack.status in ("CREATE_COMPLETE", "UPDATE_COMPLETE")
        change_set.execution_status = "EXECUTE_COMPLETE" if done else "EXECUTE_FAILED"

    worker.start(work)
    _answer_when_settled(worker)
    return {}


# --- drift ----------------------------------------------------------------------------------


@operation("DetectStackDrift")
def detect_stack_drift(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    stack = store.find(request["StackName"], message="Stack [{}] does not exist")
    if stack.busy or stack.status == "REVIEW_IN_PROGRESS":
        raise ValidationError(
            f"Drift detection cannot be performed on stack [{stack.stack_id}] while it is in "
            f"{stack.status}."
        )
    found = drift.detect(store, stack, request.get("LogicalResourceIds"))
    now = dt.datetime.now(dt.UTC)
    stack.drift = {"status": drift.stack_status(found), "time": now}
    for one in found:
        stack.drifts[one.logical_id] = one
    detection = str(uuid.uuid4())
    store.drift_detections[detection] = {
        "StackId": stack.stack_id,
        "StackDriftDetectionId": detection,
        "StackDriftStatus": stack.drift["status"],
        "DetectionStatus": "DETECTION_COMPLETE",
        "DriftedStackResourceCount": sum(
            one.status in (drift.MODIFIED, drift.DELETED) for one in found
        ),
        "Timestamp": now,
    }
    return {"StackDriftDetectionId": detection}


@operation("DescribeStackDriftDetectionStatus")
def describe_stack_drift_detection_status(call: Call) -> Mapping[str, Any]:
    detection = call.parameters["StackDriftDetectionId"]
    found = store_of(call).drift_detections.get(detection)
    if found is None:
        raise ValidationError(f"Drift detection [{detection}] does not exist")
    return found


@operation("DescribeStackResourceDrifts")
def describe_stack_resource_drifts(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    stack = store_of(call).find(request["StackName"], message="Stack [{}] does not exist")
    wanted = request.get("StackResourceDriftStatusFilters")
    drifts = [one for one in stack.drifts.values() if not wanted or one.status in wanted]
    found, more = page(drifts, request.get("NextToken"), request.get("MaxResults", 100))
    return compact(StackResourceDrifts=[one.shape(stack) for one in found], NextToken=more)


@operation("DetectStackResourceDrift")
def detect_stack_resource_drift(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    stack = store.find(request["StackName"], message="Stack [{}] does not exist")
    name = request["LogicalResourceId"]
    if name not in stack.resources:
        raise ValidationError(f"Resource {name} does not exist for stack {stack.name}")
    (found,) = drift.detect(store, stack, {name})
    stack.drifts[name] = found
    return {"StackResourceDrift": found.shape(stack)}


# --- hooks ----------------------------------------------------------------------------------


@operation("ListHookResults")
def list_hook_results(call: Call) -> Mapping[str, Any]:
    # No hooks can be registered here, so none has a result.
    return {"HookResults": []}


# --- what the operations share --------------------------------------------------------------


def _draft(store: Store, name: str) -> Stack:
    """Return a stack that is not stored, to read a revision for it before there is one."""
    return Stack(
        account=store.account,
        region=store.region,
        partition=store.partition,
        name=name,
        stack_id=f"arn:{store.partition}:cloudformation:{store.region}:{store.account}:"
        f"stack/{name}/{uuid.uuid4()}",
        created=dt.datetime.now(dt.UTC),
    )


def _plan_or_none(stack: Stack, revision: Any, store: Store) -> Plan | None:
    """Plan, so that what cannot be carried is refused before anything starts.

    A missing export fails the stack and not the request, as on AWS.
    """
    try:
        return make_plan(stack, revision, store.imported)
    except ExportMissing:
        return None


def _refuse_unless_updatable(stack: Stack) -> None:
    if stack.status not in UPDATABLE | UPDATABLE_AFTER_FAILURE:
        raise ValidationError(
            f"Stack:{stack.stack_id} is in {stack.status} state and can not be updated."
        )


def _refuse_modes(request: Mapping[str, Any]) -> None:
    if request.get("DeploymentConfig", {}).get("Mode") == "EXPRESS":
        raise ValidationError("The local AWS does not have the deployment mode EXPRESS.")


def _begin_update(stack: Stack, token: str | None) -> None:
    with stack.lock:
        stack.updated = dt.datetime.now(dt.UTC)
        stack.enter("UPDATE_IN_PROGRESS", "User Initiated", token)


def _answer_when_settled(worker: StackOperation) -> dict[str, Any]:
    worker.finished.wait(worker.store.settings.settle_s)
    return {"StackId": worker.stack.stack_id}


def _policy_text(store: Store, request: Mapping[str, Any], prefix: str) -> str | None:
    body, url = request.get(f"{prefix}Body"), request.get(f"{prefix}URL")
    if url and not body:
        raise ValidationError("The local AWS takes a stack policy by its body only.")
    if body:
        read_policy(body)
    return body


def _stack_for_change_set(
    store: Store, name: str, kind: str, change_set: str
) -> tuple[Stack, bool]:
    """Return the stack that a change set is for, and whether it must be made first."""
    try:
        stack = store.find(name, message="Stack [{}] does not exist")
    except StackNotFound:
        if kind == "CREATE":
            return _draft(store, name), True
        raise
    if kind == "CREATE":
        if stack.status != "REVIEW_IN_PROGRESS":
            raise ValidationError(
                f"Stack [{name}] already exists and cannot be created again with the changeSet "
                f"[{change_set}]."
            )
    elif stack.status == "REVIEW_IN_PROGRESS":
        raise ValidationError(f"Stack [{name}] does not exist")
    else:
        _refuse_unless_updatable(stack)
    return stack, False


def _fill_change_set(store: Store, stack: Stack, change_set: ChangeSet, *, validate: bool) -> None:
    revision = change_set.revision
    assert revision is not None
    try:
        plan = make_plan(stack, revision, store.imported)
    except CloudFormationError as error:
        change_set.status, change_set.reason = "FAILED", error.message
        return
    change_set.changes = describe_changes(stack, revision, plan)
    if change_set.kind == "UPDATE" and plan.changes_nothing:
        change_set.status, change_set.reason = "FAILED", NO_CHANGES
        return
    if validate and plan.violations:
        change_set.status, change_set.reason = "FAILED", _EARLY_VALIDATION
        for step, violation in plan.violations:
            stack.failures.append(
                Failure(
                    event_id=str(uuid.uuid4()),
                    operation_id=change_set.operation_id,
                    logical_id=step.logical_id,
                    physical_id=step.old.physical_id if step.old else "",
                    resource_type=step.type_name,
                    message=violation.message,
                    path=f"/Resources/{step.logical_id}/Properties"
                    + violation.path.removeprefix("#"),
                    time=stack.tick(),
                )
            )
        return
    change_set.status, change_set.execution_status = "CREATE_COMPLETE", "AVAILABLE"


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
