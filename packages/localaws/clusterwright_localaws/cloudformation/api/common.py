"""Code shared by the operations of the API."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.cloudformation import scheduler
from clusterwright_localaws.cloudformation.errors import ExportMissing, ValidationError
from clusterwright_localaws.cloudformation.operations import Operation as StackOperation
from clusterwright_localaws.cloudformation.planning import Plan, make_plan
from clusterwright_localaws.cloudformation.stack_policy import read_policy
from clusterwright_localaws.cloudformation.state import (
    UPDATABLE,
    UPDATABLE_AFTER_FAILURE,
    Revision,
    Stack,
)
from clusterwright_localaws.cloudformation.store import Store
from clusterwright_localaws.core.call import Call


def store_of(call: Call) -> Store:
    """Return the stacks of the caller's account and region."""
    return call.runtime.store(
        "cloudformation",
        call.account,
        call.region,
        lambda: Store(call.account, call.region),
    )


def draft(store: Store, name: str) -> Stack:
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


def plan_or_none(stack: Stack, revision: Revision, store: Store) -> Plan | None:
    """Plan, so that unsupported changes are refused before the operation starts.

    A missing export fails the stack and not the request, as on AWS.
    """
    try:
        return make_plan(stack, revision, store.imported)
    except ExportMissing:
        return None


def refuse_unless_updatable(stack: Stack) -> None:
    if stack.status not in UPDATABLE | UPDATABLE_AFTER_FAILURE:
        raise ValidationError(
            f"Stack:{stack.stack_id} is in {stack.status} state and can not be updated."
        )


def refuse_modes(request: Mapping[str, Any]) -> None:
    if request.get("DeploymentConfig", {}).get("Mode") == "EXPRESS":
        raise ValidationError("The local AWS does not have the deployment mode EXPRESS.")


def begin_update(stack: Stack, token: str | None) -> None:
    with stack.lock:
        stack.updated = dt.datetime.now(dt.UTC)
        stack.enter("UPDATE_IN_PROGRESS", "User Initiated", token)


def answer_when_settled(worker: StackOperation) -> dict[str, Any]:
    if not scheduler.in_a_job():
        worker.finished.wait(worker.store.settings.settle_s)
    return {"StackId": worker.stack.stack_id}


def policy_text(store: Store, request: Mapping[str, Any], prefix: str) -> str | None:
    body, url = request.get(f"{prefix}Body"), request.get(f"{prefix}URL")
    if url and body:
        raise ValidationError(f"You cannot specify both {prefix}URL and {prefix}Body")
    if url:
        raise ValidationError("The local AWS supports only the body of a stack policy.")
    if body:
        read_policy(body)
    return body
