"""Making, changing and deleting stacks, and what protects them.

https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_Operations.html
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from clusterwright_localaws.cloudformation.api.common import (
    answer_when_settled,
    begin_update,
    draft,
    plan_or_none,
    policy_text,
    refuse_modes,
    refuse_unless_updatable,
    store_of,
)
from clusterwright_localaws.cloudformation.describing import compact
from clusterwright_localaws.cloudformation.errors import StackNotFound, ValidationError
from clusterwright_localaws.cloudformation.nesting import root_of
from clusterwright_localaws.cloudformation.operations import Operation as StackOperation
from clusterwright_localaws.cloudformation.requests import read_revision
from clusterwright_localaws.core.call import Call, operation


@operation("cloudformation", "CreateStack")
def create_stack(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    token = request.get("ClientRequestToken")
    for one in store.stacks():
        same = token and one.name == request["StackName"] and one.events
        if same and one.events[0].token == token:
            return {"StackId": one.stack_id}  # a repeated request
    if "OnFailure" in request and "DisableRollback" in request:
        raise ValidationError("You cannot specify both OnFailure and DisableRollback.")
    refuse_modes(request)
    stack = draft(store, request["StackName"])
    revision = read_revision(store, stack, request)
    plan_or_none(stack, revision, store)
    policy = policy_text(store, request, "StackPolicy")
    # A stack that a change set would have created is created by CreateStack too.
    stack = store.add_or_take(request["StackName"])
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
    return answer_when_settled(worker)


@operation("cloudformation", "UpdateStack")
def update_stack(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    stack = store.find(request["StackName"], message="Stack [{}] does not exist")
    refuse_unless_updatable(stack)
    refuse_modes(request)
    revision = read_revision(store, stack, request)
    plan = plan_or_none(stack, revision, store)
    # As recorded on AWS, a template with a transform is always updated, and a stack whose rollback
    # triggers change.
    watched = stack.revision.rollback_configuration if stack.revision is not None else {}
    changed = revision.template.transforms or revision.rollback_configuration != watched
    if plan is not None and plan.changes_nothing and not changed:
        raise ValidationError("No updates are to be performed.")
    during = policy_text(store, request, "StackPolicyDuringUpdate")
    lasting = policy_text(store, request, "StackPolicy")
    token = request.get("ClientRequestToken")
    worker = StackOperation(store, stack, token=token)
    worker.policy = during or stack.policy
    store.begin(worker, "UPDATE_STACK")
    if lasting is not None:
        stack.policy = lasting
    stack.disable_rollback = request.get("DisableRollback", False)
    stack.deployment_config = request.get("DeploymentConfig", stack.deployment_config)
    begin_update(stack, token)
    worker.start(
        lambda: worker.deploy(
            revision,
            creating=False,
            keep_on_create=not request.get("RetainExceptOnCreate", False),
        )
    )
    return answer_when_settled(worker)


@operation("cloudformation", "DeleteStack")
def delete_stack(call: Call) -> Mapping[str, Any]:
    request, store = call.parameters, store_of(call)
    try:
        stack = store.find(request["StackName"])
    except StackNotFound:
        return {}  # AWS is silent about a stack that is not there
    if stack.gone:
        return {}
    if root_of(store, stack).termination_protection:
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
        # A stack may be deleted during its creation, with the resources that it has so far.
        running.cancel("Stack deletion requested")
        running.finished.wait()
    for name in stack.exports():
        importers = [one for one in store.importers(name) if one != stack.name]
        if importers:
            # The stack keeps its status, with a reason: https://github.com/aws/aws-cdk/issues/604
            listed = " and ".join(importers)
            stack.enter(
                stack.status, f"Export {name} cannot be deleted as it is in use by {listed}"
            )
            return {}
    if request.get("RoleARN") and stack.revision is not None:
        stack.revision = replace(stack.revision, role_arn=request["RoleARN"])
    token = request.get("ClientRequestToken")
    worker = StackOperation(store, stack, token=token)
    store.begin(worker, "DELETE_STACK")
    stack.enter("DELETE_IN_PROGRESS", "User Initiated", token)
    worker.start(lambda: worker.delete(retain, force=force))
    answer_when_settled(worker)
    return {}


@operation("cloudformation", "UpdateTerminationProtection")
def update_termination_protection(call: Call) -> Mapping[str, Any]:
    stack = store_of(call).find(call.parameters["StackName"], message="Stack [{}] does not exist")
    if stack.gone:
        raise ValidationError(f"Stack [{stack.name}] does not exist")
    if stack.parent_id is not None:
        # https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_UpdateTerminationProtection.html
        raise ValidationError(
            "Termination protection cannot be updated directly on a nested stack: it is set on "
            f"the root stack {stack.root_id}."
        )
    stack.termination_protection = call.parameters["EnableTerminationProtection"]
    return {"StackId": stack.stack_id}


@operation("cloudformation", "SetStackPolicy")
def set_stack_policy(call: Call) -> Mapping[str, Any]:
    store = store_of(call)
    stack = store.find(call.parameters["StackName"], message="Stack [{}] does not exist")
    stack.policy = policy_text(store, call.parameters, "StackPolicy")
    return {}


@operation("cloudformation", "GetStackPolicy")
def get_stack_policy(call: Call) -> Mapping[str, Any]:
    stack = store_of(call).find(call.parameters["StackName"], message="Stack [{}] does not exist")
    return compact(StackPolicyBody=stack.policy)
