"""Stopping an update, and getting out of one that failed.

https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_Operations.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.cloudformation.api.common import answer_when_settled, store_of
from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.cloudformation.operations import Operation as StackOperation
from clusterwright_localaws.cloudformation.state import UPDATABLE_AFTER_FAILURE
from clusterwright_localaws.core.call import Call, operation


@operation("cloudformation", "CancelUpdateStack")
def cancel_update_stack(call: Call) -> Mapping[str, Any]:
    store = store_of(call)
    stack = store.find(call.parameters["StackName"], message="Stack [{}] does not exist")
    running = store.running(stack)
    if running is None or stack.status != "UPDATE_IN_PROGRESS":
        raise ValidationError("CancelUpdateStack cannot be called from current stack status")
    running.cancel("User Initiated")
    return {}


@operation("cloudformation", "ContinueUpdateRollback")
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
    answer_when_settled(worker)
    return {}


@operation("cloudformation", "RollbackStack")
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
    return {**answer_when_settled(worker), "OperationId": stack.operations[-1][0]}
