"""Carrying out what was asked of a stack: create, update, roll back, delete.

Each operation runs in a thread of its own and leaves its traces as CloudFormation does: states
of the stack and of its resources, and events with reasons.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/view-stack-events.html
"""

from __future__ import annotations

import contextlib
import json
import random
import string
import threading
import time
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from clusterwright.localaws.cloudformation import failures, scheduler, stack_policy
from clusterwright.localaws.cloudformation.changes import Difference, difference
from clusterwright.localaws.cloudformation.errors import CloudFormationError, ValidationError
from clusterwright.localaws.cloudformation.evaluate import contains_unknown
from clusterwright.localaws.cloudformation.handlers.base import Cancelled, Context, Created
from clusterwright.localaws.cloudformation.planning import (
    REPLACE,
    UPDATE,
    Plan,
    active_resources,
    attribute_of,
    check_properties,
    evaluate_properties,
    handler_of,
    make_plan,
    make_scope,
    output_text,
    policy_of,
)
from clusterwright.localaws.cloudformation.schema import ResourceSchema, resource_schema
from clusterwright.localaws.cloudformation.state import (
    Output,
    Resource,
    Revision,
    Snapshot,
    Stack,
)
from clusterwright.localaws.cloudformation.surroundings import fill_dynamic

if TYPE_CHECKING:
    from clusterwright.localaws.cloudformation.store import Store

_KEEPING = frozenset({"Retain", "RetainExceptOnCreate"})


class Operation:
    """One operation on one stack. `start` returns at once; `finished` is set at the end."""

    def __init__(self, store: Store, stack: Stack, *, token: str | None = None) -> None:
        self.store = store
        self.stack = stack
        self.token = token
        self.policy: str | None = None  # the stack policy that an update is held against
        self.finished = threading.Event()
        self._failed: dict[str, str] = {}
        self._cancel_reason: str | None = None
        self._deadline: float | None = None
        self._rolling_back = False
        self._keep_on_create = True

    def start(self, work: Callable[[], None]) -> None:
        """Run `work` in a background thread."""

        def run() -> None:
            try:
                work()
            except Exception as error:
                # A bug of ours must not leave the stack in progress for ever.
                self._give_up(error)
                raise
            finally:
                self.store.ended(self)
                self.finished.set()

        threading.Thread(target=run, name=f"stack {self.stack.name}", daemon=True).start()

    def cancel(self, reason: str) -> None:
        """Stop at the next chance, and roll back with this reason."""
        self._cancel_reason = reason

    # --- create and update -------------------------------------------------------------------

    def deploy(self, revision: Revision, *, creating: bool, keep_on_create: bool = True) -> None:
        """Make the stack what `revision` says; roll back if that fails.

        Parameters
        ----------
        revision:
            What the stack is to become.
        creating:
            The stack is new: states are those of a creation.
        keep_on_create:
            Whether ``Retain`` also keeps resources that this very operation created, when it
            is rolled back. AWS's default.
        """
        stack = self.stack
        self._keep_on_create = keep_on_create
        if stack.timeout_minutes and creating:
            self._deadline = time.monotonic() + stack.timeout_minutes * 60
        if stack.stable is None and not creating:
            stack.stable = stack.snapshot()
        previous = stack.revision
        previous_tags = dict(previous.tags) if previous and stack.resources else {}
        stack.revision = revision
        problem = self._deploy_all(revision, previous_tags, creating)
        if problem is None:
            self._succeed(creating)
        else:
            self._back_out(problem, creating)

    def _deploy_all(
        self, revision: Revision, previous_tags: Mapping[str, str], creating: bool
    ) -> str | None:
        """Create and update every resource; return the stack's reason for a failure."""
        stack = self.stack
        used: set[str] = set()
        try:
            plan = make_plan(stack, revision, self._import(used))
            stack.imports = stack.imports | used
            self._check_removed_exports(revision)
        except CloudFormationError as error:
            return error.message
        if plan.violations:
            return self._refuse_invalid(plan)
        self._refuse_denied(plan)
        if self._failed:
            return self._failure_reason(creating)
        self._scope = make_scope(
            stack,
            revision,
            ref=self._ref,
            attribute=self._attribute,
            import_value=self._import(used),
        )
        template = revision.template
        active = active_resources(self._scope, revision)
        failed = scheduler.run_jobs(
            template.creation_order(active),
            {name: template.dependencies(name, active) for name in active},
            lambda name: self._deploy_one(name, previous_tags),
        )
        if failed or self._stopped():
            return self._failure_reason(creating)
        try:
            self._set_outputs(revision)
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
        assert stack.revision is not None
        stack.enter("UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", token=self.token)
        active = set(active_resources(self._scope, stack.revision))
        removed = [one for name, one in stack.resources.items() if name not in active]
        old_template = before.revision.template if before.revision else stack.revision.template
        self._delete_all(
            [*removed, *stack.garbage],
            lambda name: old_template.dependencies(name, old_template.resources),
            kept=lambda one: self._kept(one, replaced=one in stack.garbage),
        )
        for one in removed:
            stack.resources.pop(one.logical_id, None)
        stack.garbage = []
        stack.stable = None
        stack.enter("UPDATE_COMPLETE", token=self.token)

    def _refuse_invalid(self, plan: Plan) -> str:
        """Early validation: nothing is touched, and every wrong resource says why."""
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
            self._failed[name] = verb
            self._note(
                name,
                step.old.physical_id if step.old else "",
                step.type_name,
                f"{verb}_FAILED",
                text,
                step.properties,
                detailed="VALIDATION_FAILED",
            )
        return f"Validation failed for following resources: [{', '.join(by_name)}]."

    def _refuse_denied(self, plan: Plan) -> None:
        """Fail what the stack policy does not allow, before anything is touched."""
        if self.policy is None:
            return
        policy = stack_policy.read_policy(self.policy)
        actions = {REPLACE: stack_policy.REPLACE, UPDATE: stack_policy.MODIFY}
        wanted = [
            (step.old, actions[step.action])
            for step in plan.steps.values()
            if step.old is not None and step.action in actions
        ]
        wanted += [(self.stack.resources[name], stack_policy.DELETE) for name in plan.removed]
        for one, action in wanted:
            denied = stack_policy.refusal(policy, action, one.logical_id, one.type_name)
            if denied:
                self._fail(one, "UPDATE", ValidationError(denied), keep=one)

    def _deploy_one(self, name: str, previous_tags: Mapping[str, str]) -> bool:
        assert self.stack.revision is not None
        definition = self.stack.revision.template.resources[name]
        kind = definition["Type"]
        old = self.stack.resources.get(name)
        exists = old is not None and bool(old.physical_id)
        if self._stopped():
            self._failed[name] = "UPDATE" if exists else "CREATE"
            return False
        try:
            properties, violations = check_properties(
                kind, self.stack.region, evaluate_properties(self._scope, definition)
            )
            wanted = Resource(
                logical_id=name,
                type_name=kind,
                physical_id="",
                status="CREATE_IN_PROGRESS",
                reason=None,
                time=self.stack.created,
                definition=definition,
                properties=properties,
                deletion_policy=policy_of(self._scope, definition, "DeletionPolicy"),
                update_replace_policy=policy_of(self._scope, definition, "UpdateReplacePolicy"),
                tags=self.stack.revision.tags,
            )
            if violations:
                listed = "\n".join(str(one) for one in violations)
                raise ValidationError(
                    f"Properties validation failed for resource {name} with message:\n{listed}"
                )
        except CloudFormationError as error:
            verb = "UPDATE" if exists else "CREATE"
            self._failed[name] = verb
            shown = old.physical_id if old else ""
            self._note(name, shown, kind, f"{verb}_FAILED", error.message, None)
            if not exists:
                self._put(
                    Resource(
                        name,
                        kind,
                        "",
                        "CREATE_FAILED",
                        error.message,
                        self.stack.tick(),
                        definition,
                    )
                )
            return False
        if old is None or not exists:
            return self._create(wanted)
        return self._change(old, wanted, previous_tags)

    def _create(self, wanted: Resource, *, replaces: Resource | None = None) -> bool:
        """Create a resource, or the successor of one that must be replaced."""
        verb = "UPDATE" if replaces is not None else "CREATE"
        name, kind = wanted.logical_id, wanted.type_name
        progress = f"{verb}_IN_PROGRESS"
        if replaces is None:
            self._note(name, "", kind, progress, None, wanted.properties)
            self._put(replace(wanted, status=progress, time=self.stack.tick()))
        else:
            self._note(
                name,
                replaces.physical_id,
                kind,
                progress,
                "Requested update requires the creation of a new physical resource; hence "
                "creating one.",
                wanted.properties,
            )
        identified: list[str] = []

        def on_identified(physical_id: str) -> None:
            if identified:
                return
            identified.append(physical_id)
            if replaces is not None:
                self.stack.garbage.append(replaces)
            self._put(
                replace(
                    wanted,
                    physical_id=physical_id,
                    status=progress,
                    reason="Resource creation Initiated",
                    time=self.stack.tick(),
                )
            )
            self._note(
                name,
                physical_id,
                kind,
                progress,
                "Resource creation Initiated",
                wanted.properties,
            )

        try:
            context = self._context(wanted, {})
            context.on_identified = on_identified
            created = handler_of(kind).create(context, self._filled(wanted.properties))
            on_identified(created.physical_id)
        except Exception as error:  # noqa: BLE001 - whatever a handler raises fails its resource
            if replaces is not None and not identified:
                # The old resource is untouched, and stays the one that the stack has.
                self._fail(replaces, verb, error, keep=replaces)
            else:
                self._fail(self.stack.resources[name], verb, error)
            return False
        self._done(wanted, created, verb)
        return True

    def _change(self, old: Resource, wanted: Resource, previous_tags: Mapping[str, str]) -> bool:
        schema = resource_schema(wanted.type_name, self.stack.region)
        changed = difference(
            schema, handler_of(wanted.type_name), old.properties, wanted.properties
        )
        retagged = (
            schema is not None
            and schema.tag_property is not None
            and dict(previous_tags) != dict(wanted.tags)
        )
        failed_before = old.status.endswith("_FAILED")
        if changed.replacement != "False":
            return self._replace(old, wanted, schema, changed)
        if not changed.any and not retagged and not failed_before:
            self._put(
                replace(
                    wanted,
                    physical_id=old.physical_id,
                    attributes=old.attributes,
                    status=old.status,
                    reason=old.reason,
                    time=old.time,
                )
            )
            return True
        return self._update(old, wanted, previous_tags)

    def _update(self, old: Resource, wanted: Resource, previous_tags: Mapping[str, str]) -> bool:
        name, kind = wanted.logical_id, wanted.type_name
        self._note(name, old.physical_id, kind, "UPDATE_IN_PROGRESS", None, wanted.properties)
        changing = replace(
            wanted,
            physical_id=old.physical_id,
            attributes=old.attributes,
            status="UPDATE_IN_PROGRESS",
            time=self.stack.tick(),
        )
        self._put(changing)
        try:
            context = self._context(wanted, previous_tags)
            before: Mapping[str, Any] = old.properties
            with contextlib.suppress(CloudFormationError):
                # What the old text stood for may be gone; the handler then sees the text.
                before = self._filled(old.properties)
            updated = handler_of(kind).update(
                context, old.physical_id, before, self._filled(wanted.properties)
            )
        except Exception as error:  # noqa: BLE001 - whatever a handler raises fails its resource
            self._fail(changing, "UPDATE", error)
            return False
        self._done(wanted, updated, "UPDATE")
        return True

    def _replace(
        self,
        old: Resource,
        wanted: Resource,
        schema: ResourceSchema | None,
        changed: Difference,
    ) -> bool:
        named = _own_name(schema, old.properties, wanted.properties)
        if named is not None:
            self._fail(
                replace(old, definition=wanted.definition),
                "UPDATE",
                ValidationError(
                    "CloudFormation cannot update a stack when a custom-named resource requires "
                    f"replacing. Rename {named} and update the stack again."
                ),
                keep=old,
            )
            return False
        if schema is not None and schema.deletes_first:
            try:
                self._handle_delete(old)
            except Exception as error:  # noqa: BLE001 - as above
                self._fail(old, "UPDATE", error, keep=old)
                return False
            # Its physical resource is gone: a rollback has to make it anew.
            return self._create(wanted, replaces=None) or False
        return self._create(wanted, replaces=old)

    # --- rollback ----------------------------------------------------------------------------

    def _back_out(self, problem: str, creating: bool) -> None:
        stack = self.stack
        if stack.disable_rollback:
            stack.enter("CREATE_FAILED" if creating else "UPDATE_FAILED", problem, self.token)
            return
        if creating:
            self.roll_back_creation(problem)
        else:
            self.roll_back_update(problem)

    def roll_back_creation(self, problem: str | None) -> None:
        """Delete everything that a creation made, and end in ``ROLLBACK_COMPLETE``."""
        stack = self.stack
        text = f"{_sentence(problem)} Rollback requested by user." if problem else None
        delete_stack = stack.on_failure == "DELETE"
        if delete_stack:
            stack.enter("DELETE_IN_PROGRESS", text, self.token)
        else:
            stack.enter("ROLLBACK_IN_PROGRESS", text, self.token)
        self._rolling_back = True
        assert stack.revision is not None
        template = stack.revision.template
        failed = self._delete_all(
            list(stack.resources.values()),
            lambda name: template.dependencies(name, template.resources),
            kept=lambda one: self._kept(one, created_now=True),
        )
        stack.outputs, stack.imports = [], frozenset()
        prefix = "DELETE" if delete_stack else "ROLLBACK"
        if failed:
            stack.enter(f"{prefix}_FAILED", _delete_reason(failed), self.token)
            return
        if delete_stack:
            stack.deleted = stack.tick()
        stack.enter(f"{prefix}_COMPLETE", token=self.token)

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
        stack.enter(
            "UPDATE_ROLLBACK_IN_PROGRESS", _sentence(problem) if problem else None, self.token
        )
        self._rolling_back = True
        self._failed = {}
        newer_garbage = self._revert(stable, skip)
        if self._failed:
            listed = ", ".join(self._failed)
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
            kept=lambda one: self._kept(one, created_now=True),
        )
        stack.revision = stable.revision
        stack.resources = {
            name: stack.resources[name] for name in stable.resources if name in stack.resources
        }
        stack.outputs, stack.imports = list(stable.outputs), stable.imports
        stack.garbage, stack.stable = [], None
        stack.enter("UPDATE_ROLLBACK_COMPLETE", token=self.token)

    def _revert(self, stable: Snapshot, skip: Collection[str]) -> list[Resource]:
        """Bring every resource back, and return what exists now and must go."""
        stack = self.stack
        unwanted = [one for name, one in stack.resources.items() if name not in stable.resources]
        # Resources that a replacement put aside, and that are still there.
        aside = {(one.logical_id, one.physical_id): one for one in stack.garbage}
        for name, wanted in stable.resources.items():
            current = stack.resources.get(name)
            if current is None or current is wanted:
                continue
            if name in skip:
                self._put(replace(wanted, status="UPDATE_COMPLETE", time=stack.tick()))
                self._note(
                    name,
                    wanted.physical_id,
                    wanted.type_name,
                    "UPDATE_COMPLETE",
                    "Resource update skipped during update rollback",
                    wanted.properties,
                )
            elif current.physical_id == wanted.physical_id:
                self._revert_in_place(current, wanted, stable)
            elif (name, wanted.physical_id) in aside:
                if current.physical_id:
                    unwanted.append(current)
                self._put(replace(wanted, status="UPDATE_COMPLETE", time=stack.tick()))
                self._note(
                    name,
                    wanted.physical_id,
                    wanted.type_name,
                    "UPDATE_COMPLETE",
                    None,
                    wanted.properties,
                )
            else:
                if current.physical_id:
                    with contextlib.suppress(Exception):
                        self._handle_delete(current)
                self._create(replace(wanted, physical_id=""))
        still_needed = {one.physical_id for one in stack.resources.values()}
        leftovers = [
            one
            for one in stack.garbage
            if one.physical_id not in still_needed
            and one.physical_id not in {item.physical_id for item in stable.resources.values()}
        ]
        return [*unwanted, *leftovers]

    def _revert_in_place(self, current: Resource, wanted: Resource, stable: Snapshot) -> None:
        same = current.properties == wanted.properties and current.tags == wanted.tags
        if same and not current.status.endswith("_FAILED"):
            self._put(wanted)
            return
        if same:
            # The update was refused before it changed anything that we know of.
            self._put(replace(wanted, status="UPDATE_COMPLETE", time=self.stack.tick()))
            self._note(
                wanted.logical_id,
                wanted.physical_id,
                wanted.type_name,
                "UPDATE_COMPLETE",
                None,
                wanted.properties,
            )
            return
        tags = dict(stable.revision.tags) if stable.revision else {}
        self._update(current, replace(wanted, tags=tags), current.tags)

    # --- delete ------------------------------------------------------------------------------

    def delete(self, retain: Collection[str] = (), *, force: bool = False) -> None:
        """Delete the stack's resources, dependents first, and then the stack.

        Parameters
        ----------
        retain:
            Logical ids of resources that are left alone, for a stack in ``DELETE_FAILED``.
        force:
            Leave behind what cannot be deleted, and delete the stack all the same.
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
            kept=lambda one: one.logical_id in retain or self._kept(one),
        )
        if failed and not force:
            stack.enter("DELETE_FAILED", _delete_reason(failed), self.token)
            return
        stack.garbage, stack.outputs, stack.imports = [], [], frozenset()
        stack.deleted = stack.tick()
        stack.enter("DELETE_COMPLETE", token=self.token)

    def _delete_all(
        self,
        resources: Sequence[Resource],
        needs: Callable[[str], set[str]],
        *,
        kept: Callable[[Resource], bool],
    ) -> list[str]:
        """Delete resources in reverse order of their needs; return the names that failed."""
        by_key = {f"{one.logical_id}#{number}": one for number, one in enumerate(resources)}
        # What needs a resource goes before the resource.
        before: dict[str, set[str]] = {key: set() for key in by_key}
        for key, one in by_key.items():
            needed = needs(one.logical_id)
            for other, candidate in by_key.items():
                if candidate.logical_id in needed:
                    before[other].add(key)
        failed: list[str] = []

        def job(key: str) -> bool:
            one = by_key[key]
            if self._delete_one(one, kept(one)):
                return True
            failed.append(one.logical_id)
            return False

        scheduler.run_jobs(list(reversed(by_key)), before, job, keep_going=True)
        return failed

    def _delete_one(self, one: Resource, kept: bool) -> bool:
        name, kind = one.logical_id, one.type_name
        current = self.stack.resources.get(name)
        shown = current is not None and current.physical_id == one.physical_id

        def put(status: str, reason: str | None = None) -> None:
            if shown:
                self._put(replace(one, status=status, reason=reason, time=self.stack.tick()))

        if one.status in ("DELETE_COMPLETE", "DELETE_SKIPPED"):
            return True
        if not one.physical_id:
            put("DELETE_COMPLETE")
            self._note(name, "", kind, "DELETE_COMPLETE", None, None)
            return True
        if kept:
            put("DELETE_SKIPPED")
            self._note(name, one.physical_id, kind, "DELETE_SKIPPED", None, None)
            return True
        self._note(name, one.physical_id, kind, "DELETE_IN_PROGRESS", None, None)
        put("DELETE_IN_PROGRESS")
        try:
            self._handle_delete(one)
        except Exception as error:  # noqa: BLE001 - as above
            text = failures.reason(error)
            put("DELETE_FAILED", text)
            self._note(name, one.physical_id, kind, "DELETE_FAILED", text, None)
            return False
        put("DELETE_COMPLETE")
        self._note(name, one.physical_id, kind, "DELETE_COMPLETE", None, None)
        return True

    def _handle_delete(self, one: Resource) -> None:
        context = self._context(one, {})
        context.cancelled = lambda: False
        policy = one.deletion_policy
        context.take_snapshot = policy == "Snapshot"
        properties: Mapping[str, Any] = one.properties
        with contextlib.suppress(CloudFormationError):
            properties = self._filled(one.properties)
        try:
            handler_of(one.type_name).delete(context, one.physical_id, properties)
        except Exception as error:
            if not failures.is_gone(error):
                raise

    def _kept(self, one: Resource, *, replaced: bool = False, created_now: bool = False) -> bool:
        if replaced:
            return one.update_replace_policy in _KEEPING
        if created_now:
            return one.deletion_policy == "Retain" and self._keep_on_create
        return one.deletion_policy in _KEEPING

    # --- outputs, exports, imports -----------------------------------------------------------

    def _set_outputs(self, revision: Revision) -> None:
        stack = self.stack
        outputs = []
        for key, output in revision.template.outputs.items():
            if "Condition" in output and not self._scope.condition(output["Condition"]):
                continue
            value = output_text(self._scope.evaluate(output["Value"]))
            export = self._scope.evaluate(output.get("Export", {}).get("Name"))
            outputs.append(
                Output(
                    key, value, output.get("Description"), None if export is None else str(export)
                )
            )
        exports = {one.export: one.value for one in outputs if one.export is not None}
        for name, value in exports.items():
            owner = self.store.exporter(name)
            if owner is not None and owner is not stack:
                raise ValidationError(
                    f"Export with name {name} is already exported by stack {owner.name}."
                )
            before = stack.exports().get(name)
            importers = self.store.importers(name)
            if before is not None and before != value and importers:
                raise ValidationError(
                    f"Export {name} cannot be updated as it is in use by {_and(importers)}"
                )
        stack.outputs = outputs

    def _check_removed_exports(self, revision: Revision) -> None:
        scope = make_scope(
            self.stack,
            revision,
            ref=self._ref,
            attribute=self._attribute,
            import_value=self._import(set()),
        )
        kept = set()
        for output in revision.template.outputs.values():
            if "Condition" in output and not scope.condition(output["Condition"]):
                continue
            with contextlib.suppress(CloudFormationError):
                kept.add(scope.evaluate(output.get("Export", {}).get("Name")))
        for name in self.stack.exports():
            importers = self.store.importers(name)
            if name not in kept and importers:
                raise ValidationError(
                    f"Export {name} cannot be deleted as it is in use by {_and(importers)}"
                )

    def _import(self, used: set[str]) -> Callable[[str], str]:
        def look_up(name: str) -> str:
            used.add(name)
            return self.store.imported(name)

        return look_up

    def _ref(self, name: str) -> str:
        found = self.stack.resources.get(name)
        if found is None or not found.physical_id:
            raise ValidationError(
                f"Template format error: Unresolved resource dependencies [{name}] in the "
                "Resources block of the template"
            )
        return found.physical_id

    def _attribute(self, name: str, attribute: str) -> Any:
        found = self.stack.resources.get(name)
        if found is None or not found.physical_id:
            raise ValidationError(
                f"Template format error: Unresolved resource dependencies [{name}] in the "
                "Resources block of the template"
            )
        return attribute_of(found, attribute)

    # --- small things ------------------------------------------------------------------------

    def _context(self, one: Resource, previous_tags: Mapping[str, str]) -> Context:
        stack = self.stack
        return Context(
            account=stack.account,
            region=stack.region,
            partition=stack.partition,
            stack_name=stack.name,
            stack_id=stack.stack_id,
            logical_id=one.logical_id,
            resource_type=one.type_name,
            stack_tags=one.tags,
            previous_stack_tags=previous_tags,
            token=str(uuid.uuid4()),
            suffix="".join(random.choices(string.ascii_letters + string.digits, k=12)),  # noqa: S311
            poll_interval_s=self.store.settings.poll_interval_s,
            cancelled=self._stopped,
            pause=scheduler.pause,
        )

    def _filled(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        filled: dict[str, Any] = fill_dynamic(
            dict(properties), self.stack.account, self.stack.region
        )
        return filled

    def _stopped(self) -> bool:
        if self._rolling_back:
            return False
        if self._deadline is not None and time.monotonic() > self._deadline:
            self._cancel_reason = "Stack creation time exceeded the specified timeout"
        return bool(self._failed) or self._cancel_reason is not None

    def _failure_reason(self, creating: bool) -> str:
        if self._cancel_reason is not None and not self._failed:
            return self._cancel_reason
        parts = []
        for verb in ("CREATE", "UPDATE"):
            names = [name for name, kind in self._failed.items() if kind == verb]
            if names:
                parts.append(
                    f"The following resource(s) failed to {verb.lower()}: [{', '.join(names)}]."
                )
        return " ".join(parts)

    def _put(self, one: Resource) -> None:
        with self.stack.lock:
            self.stack.resources[one.logical_id] = one

    def _done(self, wanted: Resource, created: Created, verb: str) -> None:
        status = f"{verb}_COMPLETE"
        self._put(
            replace(
                wanted,
                physical_id=created.physical_id,
                attributes=dict(created.attributes),
                status=status,
                time=self.stack.tick(),
            )
        )
        self._note(
            wanted.logical_id,
            created.physical_id,
            wanted.type_name,
            status,
            None,
            wanted.properties,
        )

    def _fail(
        self, one: Resource, verb: str, error: Exception, *, keep: Resource | None = None
    ) -> None:
        if isinstance(error, Cancelled):
            what = "creation" if verb == "CREATE" else "update"
            text = f"Resource {what} cancelled"
        else:
            text = failures.reason(error)
        self._failed[one.logical_id] = verb
        status = f"{verb}_FAILED"
        shown = keep or one
        if keep is None or keep.logical_id in self.stack.resources:
            self._put(replace(shown, status=status, reason=text, time=self.stack.tick()))
        self._note(one.logical_id, one.physical_id, one.type_name, status, text, one.properties)

    def _note(
        self,
        name: str,
        physical_id: str,
        kind: str,
        status: str,
        reason: str | None,
        properties: Mapping[str, Any] | None,
        *,
        detailed: str | None = None,
    ) -> None:
        self.stack.record(
            logical_id=name,
            physical_id=physical_id,
            resource_type=kind,
            status=status,
            reason=reason,
            properties=None if properties is None else _shown(properties),
            token=self.token,
            detailed_status=detailed,
        )

    def _give_up(self, error: Exception) -> None:
        status = self.stack.status
        if status.endswith("_IN_PROGRESS"):
            verb = status.removesuffix("_IN_PROGRESS").removesuffix("_COMPLETE_CLEANUP")
            self.stack.enter(
                f"{verb}_FAILED",
                f"Internal Failure: the local AWS failed: {type(error).__name__}: {error}",
                self.token,
            )


def _own_name(
    schema: ResourceSchema | None, old: Mapping[str, Any], new: Mapping[str, Any]
) -> str | None:
    """Return the name of one's own that both have, so that they cannot exist side by side."""
    if schema is None or schema.deletes_first or len(schema.primary_identifier) != 1:
        return None
    (path,) = schema.primary_identifier
    if path in schema.read_only or len(path) != 1:
        return None
    name = new.get(path[0])
    return str(name) if name is not None and name == old.get(path[0]) else None


def _shown(properties: Mapping[str, Any]) -> str:
    return json.dumps(properties, default=str) if not contains_unknown(dict(properties)) else "{}"


def _sentence(problem: str) -> str:
    return problem if problem.endswith(".") else f"{problem}."


def _delete_reason(failed: Iterable[str]) -> str:
    return f"The following resource(s) failed to delete: [{', '.join(failed)}]. "


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
