"""Nested stacks: a stack that is a resource of another one, and is deleted with it.

What is documented and followed here: a nested stack names its parent and its root; it has the
parent's role, capabilities and rollback setting; a creation that fails stays ``CREATE_FAILED``
until the root's rollback deletes it; an update that succeeded waits with its clean-up until the
root has succeeded as well.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-nested-stacks.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.cloudformation.errors import ExportMissing, ValidationError
from clusterwright_localaws.cloudformation.evaluate import text
from clusterwright_localaws.cloudformation.handler import Cancelled, Context
from clusterwright_localaws.cloudformation.operations import Operation
from clusterwright_localaws.cloudformation.outputs import listed
from clusterwright_localaws.cloudformation.planning import make_plan
from clusterwright_localaws.cloudformation.requests import fetch, read_revision
from clusterwright_localaws.cloudformation.state import Revision, Stack
from clusterwright_localaws.cloudformation.store import Store, store_at

MAXIMUM_DEPTH = 50
"""Our limit, which ends the recursion of a template that nests itself. AWS publishes no number."""

_PAUSE_S = 0.02


def create(ctx: Context, properties: Mapping[str, Any]) -> Stack:
    """Create a nested stack, wait for it, and return it.

    Raises
    ------
    ValidationError
        Its template cannot be had or is wrong, or a resource in it failed.
    Cancelled
        The parent's operation was cancelled; the nested stack has stopped by then.
    """
    store, parent = _family(ctx)
    _refuse_depth(store, parent)
    draft = Stack(
        account=parent.account,
        region=parent.region,
        partition=parent.partition,
        name="draft",
        stack_id=parent.stack_id,
        created=parent.created,
    )
    draft.parent_id = parent.stack_id
    revision = read_revision(store, draft, _request(ctx, parent, properties))
    stack = store.add(ctx.generated_name(max_length=128, upper_suffix=True))
    stack.parent_id, stack.root_id = parent.stack_id, parent.root_id or parent.stack_id
    stack.timeout_minutes = properties.get("TimeoutInMinutes")
    stack.disable_rollback = parent.disable_rollback
    stack.revision = revision
    worker = Operation(store, stack, token=ctx.token, nested=True)
    store.begin(worker, "CREATE_STACK")
    stack.enter("CREATE_IN_PROGRESS", "User Initiated", ctx.token)
    ctx.identify(stack.stack_id)
    worker.start(lambda: worker.deploy(revision, creating=True))
    _wait(ctx, worker, stack)
    if stack.status != "CREATE_COMPLETE":
        raise ValidationError(
            f"Embedded stack {stack.stack_id} was not successfully created: {stack.reason}"
        )
    return stack


def update(ctx: Context, stack_id: str, properties: Mapping[str, Any]) -> Stack:
    """Bring a nested stack to what its properties and its template say now, and return it."""
    store, parent = _family(ctx)
    stack = store.find(stack_id)
    if ctx.rolling_back:
        return _roll_back(ctx, store, stack)
    revision, changes = _planned(ctx, store, parent, stack, properties)
    if not changes:
        return stack
    worker = Operation(store, stack, token=ctx.token, nested=True)
    worker.policy = stack.policy
    store.begin(worker, "UPDATE_STACK")
    stack.disable_rollback = parent.disable_rollback
    stack.updated = stack.tick()
    stack.enter("UPDATE_IN_PROGRESS", "User Initiated", ctx.token)
    worker.start(lambda: worker.deploy(revision, creating=False))
    _wait(ctx, worker, stack)
    if stack.status != "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS":
        state = "UPDATE_FAILED" if stack.disable_rollback else "UPDATE_ROLLBACK_IN_PROGRESS"
        raise ValidationError(
            f"Embedded stack {stack.stack_id} was not successfully updated. Currently in {state} "
            f"with reason: {worker.problem}"
        )
    return stack


def delete(ctx: Context, stack_id: str) -> None:
    """Delete a nested stack and wait until it is deleted."""
    store, _ = _family(ctx)
    stack = store.by_id(stack_id)
    if stack is None or stack.gone:
        return
    running = store.running(stack)
    if running is not None:
        running.cancel("Resource creation cancelled")
        while not running.finished.is_set():
            ctx.pause(_PAUSE_S)
    for name in stack.exports():
        importers = [one for one in store.importers(name) if one != stack.name]
        if importers:
            raise ValidationError(
                f"Export {name} cannot be deleted as it is in use by {listed(importers)}"
            )
    worker = Operation(store, stack, token=ctx.token, nested=True)
    store.begin(worker, "DELETE_STACK")
    stack.enter("DELETE_IN_PROGRESS", "User Initiated", ctx.token)
    worker.start(lambda: worker.delete(created_now=ctx.rolling_back))
    while not worker.finished.is_set():
        ctx.pause(_PAUSE_S)
    if not stack.gone:
        raise ValidationError(
            f"Embedded stack {stack.stack_id} was not successfully deleted: {stack.reason}"
        )


def template_changed(account: str, region: str, stack_id: str, url: object) -> bool:
    """Return whether the template at `url` differs from the template of the nested stack.

    An unknown URL or an unreadable template may differ: the update decides.
    """
    store = store_at(account, region)
    stack = store.by_id(stack_id)
    if stack is None or stack.revision is None or not isinstance(url, str):
        return True
    try:
        source = fetch(store, url)
    except ValidationError:
        return True
    return source != stack.revision.template.source


def root_of(store: Store, stack: Stack) -> Stack:
    """Return the stack at the top of the family; a stack without parents is its own."""
    return (store.by_id(stack.root_id) if stack.root_id else None) or stack


def _family(ctx: Context) -> tuple[Store, Stack]:
    store = store_at(ctx.account, ctx.region)
    return store, store.find(ctx.stack_id)


def _request(ctx: Context, parent: Stack, properties: Mapping[str, Any]) -> dict[str, Any]:
    assert parent.revision is not None
    return {
        "TemplateURL": properties["TemplateURL"],
        "Parameters": [
            {"ParameterKey": key, "ParameterValue": text(value)}
            for key, value in properties.get("Parameters", {}).items()
        ],
        "Capabilities": list(parent.revision.capabilities),
        "NotificationARNs": list(properties.get("NotificationARNs", ())),
        "RoleARN": parent.revision.role_arn,
        "Tags": ctx.tags(properties.get("Tags")),
    }


def _planned(
    ctx: Context, store: Store, parent: Stack, stack: Stack, properties: Mapping[str, Any]
) -> tuple[Revision, bool]:
    revision = read_revision(store, stack, _request(ctx, parent, properties))
    try:
        plan = make_plan(stack, revision, store.imported)
    except ExportMissing:
        return revision, True  # fails the stack, with its events
    return revision, not plan.changes_nothing


def _roll_back(ctx: Context, store: Store, stack: Stack) -> Stack:
    if stack.stable is None:
        return stack  # it has rolled back by itself, or nothing was done to it
    worker = Operation(store, stack, token=ctx.token, nested=True)
    store.begin(worker, "ROLLBACK")
    worker.start(lambda: worker.roll_back_update(None))
    _wait(ctx, worker, stack)
    if stack.status != "UPDATE_ROLLBACK_COMPLETE":
        raise ValidationError(
            f"Embedded stack {stack.stack_id} was not successfully updated. Currently in "
            f"{stack.status} with reason: {stack.reason}"
        )
    return stack


def _wait(ctx: Context, worker: Operation, stack: Stack) -> None:
    """Wait until the nested operation ends; a parent that stops it waits for that as well."""
    notified = False
    while not worker.finished.is_set():
        if not notified and ctx.cancelled():
            notified = True
            worker.cancel("Resource creation cancelled")
        ctx.pause(_PAUSE_S)
    if notified and not stack.status.endswith(("CREATE_COMPLETE", "CLEANUP_IN_PROGRESS")):
        raise Cancelled


def _refuse_depth(store: Store, parent: Stack) -> None:
    depth, one = 1, parent
    while one.parent_id is not None:
        above = store.by_id(one.parent_id)
        if above is None:
            break
        depth, one = depth + 1, above
    if depth > MAXIMUM_DEPTH:
        raise ValidationError(f"The local AWS nests stacks {MAXIMUM_DEPTH} deep and no deeper.")
