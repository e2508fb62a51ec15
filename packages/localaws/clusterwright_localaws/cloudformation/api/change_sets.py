"""Change sets: create, describe, execute.

https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_Operations.html
"""

from __future__ import annotations

import datetime as dt
import re
import uuid
from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.cloudformation import describing, early_validation, existing_values
from clusterwright_localaws.cloudformation.api.common import (
    answer_when_settled,
    begin_update,
    draft,
    refuse_modes,
    refuse_unless_updatable,
    store_of,
)
from clusterwright_localaws.cloudformation.changesets import NO_CHANGES, describe_changes
from clusterwright_localaws.cloudformation.describing import compact, page
from clusterwright_localaws.cloudformation.errors import (
    AlreadyExists,
    CloudFormationError,
    InvalidChangeSetStatus,
    MappingKeyMissing,
    StackNotFound,
    ValidationError,
)
from clusterwright_localaws.cloudformation.operations import Operation as StackOperation
from clusterwright_localaws.cloudformation.planning import make_plan
from clusterwright_localaws.cloudformation.requests import read_revision
from clusterwright_localaws.cloudformation.state import ChangeSet, Stack
from clusterwright_localaws.cloudformation.store import Store
from clusterwright_localaws.core.call import Call, operation

_CHANGE_SET_NAME = re.compile(r"[a-zA-Z][-a-zA-Z0-9]{0,127}")


@operation("cloudformation", "CreateChangeSet")
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
    refuse_modes(request)
    if not _CHANGE_SET_NAME.fullmatch(name):
        raise ValidationError(
            f"1 validation error detected: Value '{name}' at 'changeSetName' failed to satisfy "
            "constraint: Member must satisfy regular expression pattern: [a-zA-Z][-a-zA-Z0-9]*"
        )
    stack, new = _stack_for_change_set(store, request["StackName"], kind, name)
    # The name of an executed change set may be used again.
    existing = stack.change_sets.get(name)
    if existing is not None and existing.execution_status != "EXECUTE_COMPLETE":
        raise AlreadyExists(f"ChangeSet {name} already exists for Stack {stack.stack_id}")
    revision = read_revision(store, stack, request, by_change_set=True)
    if new:
        stack = store.add(request["StackName"])
        stack.enter("REVIEW_IN_PROGRESS", "User Initiated", request.get("ClientToken"))
    operation_id = str(uuid.uuid4())
    begun = (operation_id, "CREATE_CHANGESET")
    with store.lock:
        stack.operations.append(begun)
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
        import_existing=request.get("ImportExistingResources", False),
        on_stack_failure=request.get("OnStackFailure"),
        deployment_config=request.get("DeploymentConfig"),
        operation_id=operation_id,
    )
    stack.change_sets[name] = change_set
    try:
        _fill_change_set(store, stack, change_set, validate=not request.get("DisableValidation"))
    except MappingKeyMissing:
        with store.lock:
            stack.operations.remove(begun)
            del stack.change_sets[name]
            if existing is not None:
                stack.change_sets[name] = existing
        if new:
            store.discard(stack)
        raise
    return {"Id": change_set.change_set_id, "StackId": stack.stack_id}


@operation("cloudformation", "DescribeChangeSet")
def describe_change_set(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    stack, change_set = store_of(call).change_set(
        request.get("StackName"), request["ChangeSetName"]
    )
    return describing.change_set_shape(
        stack,
        change_set,
        call,
        values=request.get("IncludePropertyValues", False),
    )


@operation("cloudformation", "ListChangeSets")
def list_change_sets(call: Call) -> Mapping[str, Any]:
    stack = store_of(call).find(call.parameters["StackName"], message="Stack [{}] does not exist")
    found, more = page(list(stack.change_sets.values()), call)
    return compact(
        Summaries=[describing.change_set_summary(stack, one) for one in found], NextToken=more
    )


@operation("cloudformation", "DeleteChangeSet")
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


@operation("cloudformation", "ExecuteChangeSet")
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
        refuse_unless_updatable(stack)
    revision = change_set.revision
    assert revision is not None
    token = request.get("ClientRequestToken")
    worker = StackOperation(store, stack, token=token)
    worker.policy = stack.policy
    store.begin(worker, "CREATE_STACK" if creating else "UPDATE_STACK")
    change_set.execution_status = "EXECUTE_IN_PROGRESS"
    stack.change_set_id = change_set.change_set_id
    # Other change sets are for a stack that this execution changes.
    stack.change_sets = {change_set.name: change_set}
    stack.on_failure = change_set.on_stack_failure or "ROLLBACK"
    stack.disable_rollback = (
        request.get("DisableRollback", False) or stack.on_failure == "DO_NOTHING"
    )
    stack.deployment_config = change_set.deployment_config
    if creating:
        stack.updated = stack.tick()  # AWS answers it from the first execution on
        stack.enter("CREATE_IN_PROGRESS", "User Initiated", token)
    else:
        begin_update(stack, token)

    def work() -> None:
        worker.deploy(
            revision,
            creating=creating,
            keep_on_create=not request.get("RetainExceptOnCreate", False),
        )
        done = stack.status in ("CREATE_COMPLETE", "UPDATE_COMPLETE")
        change_set.execution_status = "EXECUTE_COMPLETE" if done else "EXECUTE_FAILED"

    worker.start(work)
    answer_when_settled(worker)
    return {}


def _stack_for_change_set(
    store: Store, name: str, kind: str, change_set: str
) -> tuple[Stack, bool]:
    """Return the stack of a change set, and whether it must be created first."""
    try:
        stack = store.find(name, message="Stack [{}] does not exist")
    except StackNotFound:
        if kind == "CREATE":
            return draft(store, name), True
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
        refuse_unless_updatable(stack)
    return stack, False


def _fill_change_set(store: Store, stack: Stack, change_set: ChangeSet, *, validate: bool) -> None:
    revision = change_set.revision
    assert revision is not None
    absent = existing_values.problem_with(revision, stack.account, stack.region)
    if absent is not None:
        change_set.status, change_set.reason = "FAILED", absent
        return
    missing: list[tuple[str, str]] = []

    def note(resource: str | None, export: str) -> None:
        if resource is not None:
            missing.append((resource, export))

    try:
        plan = make_plan(stack, revision, store.imported, on_missing=note)
    except MappingKeyMissing:
        raise
    except CloudFormationError as error:
        change_set.status, change_set.reason = "FAILED", error.message
        return
    change_set.changes = describe_changes(stack, revision, plan)
    if missing:
        # As recorded on AWS: only the execution fails.
        resource, export = missing[0]
        change_set.warning = (
            "[WARN] --include-property-values option can return incomplete ChangeSet data "
            f"because: ChangeSet creation failed for resource [{resource}] because: No export "
            f"named {export}"
        )
    if change_set.kind == "UPDATE" and plan.changes_nothing:
        change_set.status, change_set.reason = "FAILED", NO_CHANGES
        return
    if validate:
        found = early_validation.validate(
            store,
            stack,
            plan,
            operation_id=change_set.operation_id,
            import_existing=change_set.import_existing,
        )
        stack.failures.extend(found)
        reason = early_validation.refusal(found)
        if reason is not None:
            change_set.status, change_set.reason = "FAILED", reason
            return
    change_set.status, change_set.execution_status = "CREATE_COMPLETE", "AVAILABLE"
