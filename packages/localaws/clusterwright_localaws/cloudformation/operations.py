"""Stack operations: create, update, roll back, delete.

Each operation runs in its own thread and records what CloudFormation records: states of the stack
and of its resources, and events with reasons.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/view-stack-events.html
"""

from __future__ import annotations

import contextlib
import contextvars
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from clusterwright_localaws.cloudformation import (
    existing_values,
    rollback_triggers,
    scheduler,
    stack_policy,
)
from clusterwright_localaws.cloudformation.errors import CloudFormationError, ValidationError
from clusterwright_localaws.cloudformation.evaluate import Scope
from clusterwright_localaws.cloudformation.outputs import check_removed_exports, compute_outputs
from clusterwright_localaws.cloudformation.planning import (
    KEEPING,
    REPLACE,
    UPDATE,
    Plan,
    active_resources,
    make_plan,
    make_scope,
)
from clusterwright_localaws.cloudformation.resource_executor import ResourceExecutor
from clusterwright_localaws.cloudformation.state import (
    STACK_TYPE,
    Resource,
    Revision,
    Snapshot,
    Stack,
)

if TYPE_CHECKING:
    from clusterwright_localaws.cloudformation.store import Store


class Operation:
    """One operation on one stack. `start` returns at once; `finished` is set at the end.

    A `nested` operation is part of its parent's: the parent deletes a failed creation, and an
    update keeps replaced resources until the parent has succeeded too.
    """

    def __init__(
        self, store: Store, stack: Stack, *, token: str | None = None, nested: bool = False
    ) -> None:
        self.store = store
        self.stack = stack
        self.token = token
        self.work = ResourceExecutor(store, stack, token)
        self.nested = nested
        self.policy: str | None = None  # the stack policy that applies to an update
        self.problem: str | None = None
        self.finished = threading.Event()
        self._keep_on_create = True

    def start(self, work: Callable[[], None]) -> None:
        """Run `work` in a background thread."""

        def run() -> None:
            try:
                work()
            except Exception as error:
                # An internal error must not leave the stack in progress indefinitely.
                self._give_up(error)
                raise
            finally:
                self.store.ended(self)
                self.finished.set()

        # The caller is passed on: if IAM is enforced, the stack acts on the caller's behalf.
        context = contextvars.copy_context()
        threading.Thread(
            target=context.run, args=(run,), name=f"stack {self.stack.name}", daemon=True
        ).start()

    def cancel(self, reason: str) -> None:
        """Cancel at the next opportunity, and roll back with this reason."""
        self.work.cancel_reason = reason

    def deploy(self, revision: Revision, *, creating: bool, keep_on_create: bool = True) -> None:
        """Create or update the stack to `revision`; roll back on a failure.

        Parameters
        ----------
        revision:
        The desired revision of the stack.
        creating:
            The stack is new: states are those of a creation.
        keep_on_create:
            Whether ``Retain`` also keeps resources that this very operation created, when it
            is rolled back. AWS's default.
        """
        stack = self.stack
        self._keep_on_create = keep_on_create
        if stack.timeout_minutes and creating:
            self.work.deadline = time.monotonic() + stack.timeout_minutes * 60
        if stack.stable is None and not creating:
            stack.stable = stack.snapshot()
        previous = stack.revision
        previous_tags = dict(previous.tags) if previous and stack.resources else {}
        stack.revision = revision
        problem = (
            existing_values.problem_with(revision, stack.account, stack.region)
            or self._triggered(revision)
            or self._deploy_all(revision, previous_tags)
            or self._triggered(revision)
        )
        if problem is None:
            self._succeed(creating)
        else:
            self._back_out(problem, creating)

    def _triggered(self, revision: Revision) -> str | None:
        if self.nested:  # the triggers are those of the root
            return None
        return rollback_triggers.problem_with(revision.rollback_configuration, self.store.account)

    def _deploy_all(self, revision: Revision, previous_tags: Mapping[str, str]) -> str | None:
        """Create and update every resource; return the stack's reason for a failure."""
        stack = self.stack
        used: set[str] = set()
        try:
            plan = make_plan(stack, revision, self._import(used))
            stack.imports = stack.imports | used
            self.work.scope = self._scope(revision, used)
            check_removed_exports(self.store, stack, revision, self.work.scope)
        except CloudFormationError as error:
            return error.message
        if plan.violations:
            return self._refuse_invalid(plan)
        self._refuse_denied(plan)
        if self.work.failed:
            return self._failure_reason()
        template = revision.template
        active = active_resources(self.work.scope, revision)
        failed = scheduler.run_jobs(
            template.creation_order(active),
            {name: template.dependencies(name, active) for name in active},
            lambda name: self.work.deploy_one(name, previous_tags),
        )
        if failed or self.work.stopped():
            return self._failure_reason()
        try:
            stack.outputs = compute_outputs(self.store, stack, revision, self.work.scope)
        except CloudFormationError as error:
            return error.message
        stack.imports = frozenset(used)
        return None

    def _succeed(self, creating: bool) -> None:
        stack = self.stack
        before = stack.stable
        if creating:
            stack.stable = None
            stack.enter("CREATE_COMPLETE", token=self.token)
            return
        assert before is not None
        stack.enter("UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", token=self.token)
        if not self.nested:
            self.clean_up()

    def clean_up(self) -> None:
        """Delete what a successful update replaced or removed, also in nested stacks."""
        stack = self.stack
        before = stack.stable
        assert before is not None
        assert stack.revision is not None
        for child in self._children():
            if child.status == "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS":
                Operation(self.store, child, token=self.token).clean_up()
        scope = self._scope(stack.revision, set())
        active = set(active_resources(scope, stack.revision))
        removed = [one for name, one in stack.resources.items() if name not in active]
        old_template = before.revision.template if before.revision else stack.revision.template
        self._delete_all(
            [*removed, *stack.garbage],
            lambda name: old_template.dependencies(name, old_template.resources),
            policy=self._policy,
        )
        for one in removed:
            stack.resources.pop(one.logical_id, None)
        stack.garbage = []
        stack.stable = None
        stack.enter("UPDATE_COMPLETE", token=self.token)

    def _children(self) -> list[Stack]:
        """Return the nested stacks of this one that exist."""
        ids = [
            one.physical_id
            for one in self.stack.resources.values()
            if one.type_name == STACK_TYPE and one.physical_id
        ]
        found = [self.store.by_id(each) for each in ids]
        return [one for one in found if one is not None and not one.gone]

    def _refuse_invalid(self, plan: Plan) -> str:
        """Early validation: change nothing, and report every invalid resource."""
        by_name: dict[str, list[str]] = {}
        for step, violation in plan.violations:
            by_name.setdefault(step.logical_id, []).append(str(violation))
        for name, messages in by_name.items():
            step = plan.steps[name]
            verb = "UPDATE" if step.old and step.old.physical_id else "CREATE"
            text = (
                f"Properties validation failed for resource {name} with message: "
                f"[{', '.join(messages)}]"
            )
            self.work.failed[name] = verb
            refused = Resource(
                name,
                step.type_name,
                step.old.physical_id if step.old else "",
                f"{verb}_FAILED",
                text,
                self.stack.created,
                step.definition,
                step.properties,
            )
            self.work.note(refused, refused.status, text, detailed="VALIDATION_FAILED")
        return f"Validation failed for following resources: [{', '.join(by_name)}]."

    def _refuse_denied(self, plan: Plan) -> None:
        """Fail changes that the stack policy does not allow, before any change is made."""
        if self.policy is None:
            return
        policy = stack_policy.read_policy(self.policy)
        actions = {REPLACE: stack_policy.REPLACE, UPDATE: stack_policy.MODIFY}
        desired = [
            (step.old, actions[step.action])
            for step in plan.steps.values()
            if step.old is not None and step.action in actions
        ]
        desired += [(self.stack.resources[name], stack_policy.DELETE) for name in plan.removed]
        for one, action in desired:
            denied = stack_policy.refusal(policy, action, one.logical_id, one.type_name)
            if denied:
                self.work.fail(one, "UPDATE", ValidationError(denied), keep=one)

    def _back_out(self, problem: str, creating: bool) -> None:
        stack = self.stack
        self.problem = problem
        if stack.disable_rollback or (creating and self.nested):
            stack.enter("CREATE_FAILED" if creating else "UPDATE_FAILED", problem, self.token)
            return
        if creating:
            self.roll_back_creation(problem)
        else:
            self.roll_back_update(problem)

    def roll_back_creation(self, problem: str | None) -> None:
        """Delete all resources of a failed creation, and end in ``ROLLBACK_COMPLETE``."""
        stack = self.stack
        text = f"{_sentence(problem)} Rollback requested by user." if problem else None
        delete_stack = stack.on_failure == "DELETE"
        if delete_stack:
            stack.enter("DELETE_IN_PROGRESS", text, self.token)
        else:
            stack.enter("ROLLBACK_IN_PROGRESS", text, self.token)
        self.work.rolling_back = True
        assert stack.revision is not None
        template = stack.revision.template
        failed = self._delete_all(
            list(stack.resources.values()),
            lambda name: template.dependencies(name, template.resources),
            policy=lambda one: self._policy(one, created_now=True),
        )
        stack.outputs, stack.imports = [], frozenset()
        prefix = "DELETE" if delete_stack else "ROLLBACK"
        if failed:
            stack.enter(f"{prefix}_FAILED", _delete_reason(failed), self.token)
            return
        if delete_stack:
            self._end_deleted()
        else:
            stack.enter("ROLLBACK_COMPLETE", token=self.token)

    def roll_back_update(self, problem: str | None, skip: Collection[str] = ()) -> None:
        """Go back to the last stable state, and end in ``UPDATE_ROLLBACK_COMPLETE``.

        Parameters
        ----------
        problem:
            The stack's reason.
        skip:
            Resources that are left as they are (``ContinueUpdateRollback``).
        """
        stack = self.stack
        assert stack.stable is not None
        assert stack.revision is not None
        stable, newer = stack.stable, stack.revision
        stack.enter("UPDATE_ROLLBACK_IN_PROGRESS", problem, self.token)
        self.work.rolling_back = True
        self.work.scope = self._scope(stable.revision or newer, set())
        self.work.failed = {}
        newer_garbage = self._revert(stable, skip)
        if self.work.failed:
            listed = ", ".join(self.work.failed)
            stack.enter(
                "UPDATE_ROLLBACK_FAILED",
                f"The following resource(s) failed to update: [{listed}]. ",
                self.token,
            )
            return
        stack.enter("UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS", token=self.token)
        template = newer.template
        self._delete_all(
            newer_garbage,
            lambda name: (
                template.dependencies(name, template.resources)
                if name in template.resources
                else set()
            ),
            policy=lambda one: self._policy(one, created_now=True),
        )
        stack.revision = stable.revision
        stack.resources = {
            name: stack.resources[name] for name in stable.resources if name in stack.resources
        }
        stack.outputs, stack.imports = list(stable.outputs), stable.imports
        stack.garbage, stack.stable = [], None
        stack.enter("UPDATE_ROLLBACK_COMPLETE", token=self.token)

    def _revert(self, stable: Snapshot, skip: Collection[str]) -> list[Resource]:
        """Restore every resource, and return the resources to delete."""
        stack = self.stack
        unwanted = [one for name, one in stack.resources.items() if name not in stable.resources]
        # Replaced resources that still exist.
        aside = {(one.logical_id, one.physical_id): one for one in stack.garbage}
        for name, desired in stable.resources.items():
            current = stack.resources.get(name)
            if current is None or current is desired:
                continue
            if name in skip:
                reason = "Resource update skipped during update rollback"
                self._restored(desired, reason)
            elif current.physical_id == desired.physical_id:
                self._revert_in_place(current, desired, stable)
            elif (name, desired.physical_id) in aside:
                if current.physical_id:
                    stack.garbage.append(current)
                self._restored(desired)
            else:
                if current.physical_id:
                    with contextlib.suppress(Exception):
                        self.work.delete_physical(current)
                self.work.create(replace(desired, physical_id=""))
        needed = {
            (name, one.physical_id)
            for resources in (stack.resources, stable.resources)
            for name, one in resources.items()
        }
        leftovers = [
            one for one in stack.garbage if (one.logical_id, one.physical_id) not in needed
        ]
        return [*unwanted, *leftovers]

    def _restored(self, one: Resource, reason: str | None = None) -> None:
        self.work.put(replace(one, status="UPDATE_COMPLETE", time=self.stack.tick()))
        self.work.note(one, "UPDATE_COMPLETE", reason)

    def _revert_in_place(self, current: Resource, desired: Resource, stable: Snapshot) -> None:
        same = (
            not current.dirty
            and current.properties == desired.properties
            and current.tags == desired.tags
        )
        same = same and not any(
            child.stack_id == current.physical_id and child.stable is not None
            for child in self._children()
        )
        if same and not current.status.endswith("_FAILED"):
            self.work.put(desired)
            return
        if same:
            # The update was refused before any change.
            self._restored(desired)
            return
        tags = dict(stable.revision.tags) if stable.revision else {}
        self.work.update(current, replace(desired, tags=tags), current.tags)

    def delete(
        self, retain: Collection[str] = (), *, force: bool = False, created_now: bool = False
    ) -> None:
        """Delete the stack's resources, dependents first, and then the stack.

        Parameters
        ----------
        retain:
            Logical ids of resources that are kept, for a stack in ``DELETE_FAILED``.
        force:
            Leave behind what cannot be deleted, and delete the stack all the same.
        created_now:
            The stack was created by the operation that its parent rolls back.
        """
        stack = self.stack
        templates = [stack.revision.template] if stack.revision else []
        if stack.stable and stack.stable.revision:
            templates.append(stack.stable.revision.template)

        def needs(name: str) -> set[str]:
            found: set[str] = set()
            for template in templates:
                if name in template.resources:
                    found |= template.dependencies(name, template.resources)
            return found

        failed = self._delete_all(
            [*stack.resources.values(), *stack.garbage],
            needs,
            policy=lambda one: (
                "Retain"
                if one.logical_id in retain
                else self._policy(one, created_now=created_now)
            ),
        )
        if failed and not force:
            stack.enter("DELETE_FAILED", _delete_reason(failed), self.token)
            return
        stack.garbage, stack.outputs, stack.imports = [], [], frozenset()
        self._end_deleted()

    def _end_deleted(self) -> None:
        self.stack.deleted = self.stack.tick()
        self.stack.enter("DELETE_COMPLETE", token=self.token)
        self.store.deleted(self.stack)

    def _delete_all(
        self,
        resources: Sequence[Resource],
        needs: Callable[[str], set[str]],
        *,
        policy: Callable[[Resource], str | None],
    ) -> list[str]:
        """Delete resources in reverse order of dependency; return the names that failed."""
        by_key = {f"{one.logical_id}#{number}": one for number, one in enumerate(resources)}
        # Dependents are deleted before the resource.
        before: dict[str, set[str]] = {key: set() for key in by_key}
        for key, one in by_key.items():
            needed = needs(one.logical_id)
            for other, candidate in by_key.items():
                if candidate.logical_id in needed:
                    before[other].add(key)
        failed: list[str] = []

        def job(key: str) -> bool:
            one = by_key[key]
            if self.work.delete_one(one, policy(one)):
                return True
            failed.append(one.logical_id)
            return False

        scheduler.run_jobs(list(reversed(by_key)), before, job, keep_going=True)
        return failed

    def _policy(self, one: Resource, *, created_now: bool = False) -> str | None:
        """Return the policy that keeps a deleted resource, or None to delete it."""
        if created_now:
            leaves = one.deletion_policy in KEEPING
            keeps = one.deletion_policy == "Retain" and self._keep_on_create
            return None if leaves and not keeps else one.deletion_policy
        if any(one is old for old in self.stack.garbage):
            return one.update_replace_policy
        return one.deletion_policy

    def _scope(self, revision: Revision, used: set[str]) -> Scope:
        return make_scope(
            self.stack,
            revision,
            ref=self.work.ref,
            attribute=self.work.attribute,
            import_value=self._import(used),
        )

    def _import(self, used: set[str]) -> Callable[[str], str]:
        def look_up(name: str) -> str:
            used.add(name)
            return self.store.imported(name)

        return look_up

    def _failure_reason(self) -> str:
        if self.work.cancel_reason is not None:
            return self.work.cancel_reason
        parts = []
        for verb in ("CREATE", "UPDATE"):
            names = [name for name, kind in self.work.failed.items() if kind == verb]
            if names:
                parts.append(
                    f"The following resource(s) failed to {verb.lower()}: [{', '.join(names)}]."
                )
        return " ".join(parts)

    def _give_up(self, error: Exception) -> None:
        status = self.stack.status
        if status.endswith("_IN_PROGRESS"):
            verb = status.removesuffix("_IN_PROGRESS").removesuffix("_COMPLETE_CLEANUP")
            self.stack.enter(
                f"{verb}_FAILED",
                f"Internal Failure: the local AWS failed: {type(error).__name__}: {error}",
                self.token,
            )


def _sentence(problem: str) -> str:
    return problem if problem.endswith(".") else f"{problem}."


def _delete_reason(failed: Iterable[str]) -> str:
    return f"The following resource(s) failed to delete: [{', '.join(failed)}]. "
