"""Creates, updates, replaces and deletes single resources, with their states and events."""

from __future__ import annotations

import contextlib
import json
import random
import string
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from clusterwright_localaws.cloudformation import failures, scheduler
from clusterwright_localaws.cloudformation.changes import Difference, difference
from clusterwright_localaws.cloudformation.dynamic_values import fill_dynamic
from clusterwright_localaws.cloudformation.errors import CloudFormationError, ValidationError
from clusterwright_localaws.cloudformation.evaluate import Scope, contains_unknown
from clusterwright_localaws.cloudformation.handler import (
    Cancelled,
    Context,
    Created,
    Handler,
    HandlerFailure,
)
from clusterwright_localaws.cloudformation.parameters import HIDDEN
from clusterwright_localaws.cloudformation.planning import (
    KEEPING,
    attribute_of,
    check_properties,
    deletion_policy,
    evaluate_properties,
    handler_of,
    policy_of,
)
from clusterwright_localaws.cloudformation.schema import ResourceSchema, resource_schema
from clusterwright_localaws.cloudformation.state import Resource, Stack
from clusterwright_localaws.cloudformation.system_tags import system_tags
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.request_tags import is_reserved
from clusterwright_localaws.iam.stacks import for_custom_resource, for_stack

if TYPE_CHECKING:
    from clusterwright_localaws.cloudformation.store import Store


class ResourceExecutor:
    """The resources of one stack within one operation.

    `failed` names what went wrong so far, with ``CREATE`` or ``UPDATE``; once there is anything,
    what still waits for a state is cancelled, unless the operation rolls back.
    """

    scope: Scope

    def __init__(self, store: Store, stack: Stack, token: str | None) -> None:
        self.store = store
        self.stack = stack
        self.token = token
        self.failed: dict[str, str] = {}
        self.cancel_reason: str | None = None
        self.deadline: float | None = None
        self.rolling_back = False

    def deploy_one(self, name: str, previous_tags: Mapping[str, str]) -> bool:
        """Bring one resource of the new template about, and return whether it worked."""
        assert self.stack.revision is not None
        definition = self.stack.revision.template.resources[name]
        kind = definition["Type"]
        old = self.stack.resources.get(name)
        exists = old is not None and bool(old.physical_id)
        if self.stopped():
            return False
        try:
            properties, violations = check_properties(
                kind, self.stack.region, evaluate_properties(self.scope, definition)
            )
            desired = Resource(
                logical_id=name,
                type_name=kind,
                physical_id="",
                status="CREATE_IN_PROGRESS",
                reason=None,
                time=self.stack.created,
                definition=definition,
                properties=properties,
                deletion_policy=deletion_policy(self.scope, definition, properties),
                update_replace_policy=policy_of(self.scope, definition, "UpdateReplacePolicy"),
                tags=self.stack.revision.tags,
            )
            if violations:
                listed = "\n".join(str(one) for one in violations)
                raise ValidationError(
                    f"Properties validation failed for resource {name} with message:\n{listed}"
                )
        except CloudFormationError as error:
            verb = "UPDATE" if exists else "CREATE"
            self.failed[name] = verb
            now = self.stack.tick()
            failed = Resource(name, kind, "", "CREATE_FAILED", error.message, now, definition)
            shown = replace(failed, physical_id=old.physical_id if old else "")
            self.note(shown, f"{verb}_FAILED", error.message, shown=False)
            if not exists:
                self.put(failed)
            return False
        if old is None or not exists:
            return self.create(desired)
        return self._change(old, desired, previous_tags)

    def create(self, desired: Resource, *, replaces: Resource | None = None) -> bool:
        """Create a resource, or the successor of one that must be replaced."""
        verb = "UPDATE" if replaces is not None else "CREATE"
        kind = desired.type_name
        progress = f"{verb}_IN_PROGRESS"
        if replaces is None:
            self.note(desired, progress)
            self.put(replace(desired, status=progress, time=self.stack.tick()))
        else:
            self.note(
                replace(desired, physical_id=replaces.physical_id),
                progress,
                "Requested update requires the creation of a new physical resource; hence "
                "creating one.",
            )
        identified: list[str] = []

        def on_identified(physical_id: str) -> None:
            if identified:
                return
            identified.append(physical_id)
            if replaces is not None and replaces.physical_id != physical_id:
                # The policy for the replaced resource is in the new template.
                self.stack.garbage.append(
                    replace(replaces, update_replace_policy=desired.update_replace_policy)
                )
            self.mark(
                replace(desired, physical_id=physical_id), progress, "Resource creation Initiated"
            )

        try:
            context = self._context(desired, {})
            context.on_identified = on_identified
            context.creating = True
            if "CreationPolicy" in desired.definition:
                context.creation_policy = self.scope.evaluate(desired.definition["CreationPolicy"])
            with self._acting(kind, desired.properties):
                created = handler_of(kind).create(context, self._filled(desired.properties))
            on_identified(created.physical_id)
        except Exception as error:  # noqa: BLE001 - whatever a handler raises fails its resource
            if replaces is not None and not identified:
                # The old resource is untouched, and stays the one that the stack has.
                self.fail(replaces, verb, error, keep=replaces)
            else:
                self.fail(self.stack.resources[desired.logical_id], verb, error)
            return False
        self._done(desired, created, verb)
        return True

    def _change(self, old: Resource, desired: Resource, previous_tags: Mapping[str, str]) -> bool:
        schema = resource_schema(desired.type_name, self.stack.region)
        changed = difference(
            schema, handler_of(desired.type_name), old.properties, desired.properties
        )
        retagged = (
            schema is not None
            and schema.tag_property is not None
            and dict(previous_tags) != dict(desired.tags)
        )
        failed_before = old.status.endswith("_FAILED")
        if changed.replacement != "False":
            return self._replace(old, desired, schema, changed)
        outdated = handler_of(desired.type_name).outdated(
            self.stack.account, self.stack.region, old.physical_id, desired.properties
        )
        if not (changed.any or retagged or failed_before or outdated):
            self.put(
                replace(
                    desired,
                    physical_id=old.physical_id,
                    attributes=old.attributes,
                    status=old.status,
                    reason=old.reason,
                    time=old.time,
                )
            )
            return True
        return self.update(old, desired, previous_tags)

    def update(self, old: Resource, desired: Resource, previous_tags: Mapping[str, str]) -> bool:
        """Change a resource in place."""
        kind = desired.type_name
        changing = self.mark(
            replace(desired, physical_id=old.physical_id, attributes=old.attributes),
            "UPDATE_IN_PROGRESS",
        )
        try:
            context = self._context(desired, previous_tags)
            before: Mapping[str, Any] = old.properties
            with contextlib.suppress(CloudFormationError):
                # The old reference may no longer resolve; the handler then receives the text.
                before = self._filled(old.properties)
            with self._acting(kind, desired.properties):
                if not _exists(handler_of(kind), context, old.physical_id, before):
                    raise HandlerFailure(
                        f"Resource of type '{kind}' with identifier '{old.physical_id}' was not "
                        "found.",
                        "NotFound",
                    )
                updated = handler_of(kind).update(
                    context, old.physical_id, before, self._filled(desired.properties)
                )
        except Exception as error:  # noqa: BLE001 - whatever a handler raises fails its resource
            self.fail(replace(changing, dirty=True), "UPDATE", error)
            return False
        self._done(desired, updated, "UPDATE")
        return True

    def _replace(
        self,
        old: Resource,
        desired: Resource,
        schema: ResourceSchema | None,
        changed: Difference,
    ) -> bool:
        named = _own_name(schema, old.properties, desired.properties)
        if named is not None:
            self.fail(
                replace(old, definition=desired.definition),
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
                self.delete_physical(old, old.update_replace_policy)
            except Exception as error:  # noqa: BLE001 - as above
                self.fail(old, "UPDATE", error, keep=old)
                return False
            # Its physical resource no longer exists: a rollback must create it again.
            return self.create(desired)
        return self.create(desired, replaces=old)

    def delete_one(self, one: Resource, policy: str | None) -> bool:
        """Delete a resource, or leave it behind, as the policy says; return whether it worked."""
        current = self.stack.resources.get(one.logical_id)
        shown = current is not None and current.physical_id == one.physical_id

        def mark(status: str, reason: str | None = None) -> None:
            if shown:
                self.put(replace(one, status=status, reason=reason, time=self.stack.tick()))
            self.note(one, status, reason, shown=False)

        if one.status in ("DELETE_COMPLETE", "DELETE_SKIPPED"):
            return True
        if not one.physical_id:
            mark("DELETE_COMPLETE")
            return True
        if policy in KEEPING:
            mark("DELETE_SKIPPED")
            return True
        mark("DELETE_IN_PROGRESS")
        try:
            self.delete_physical(one, policy)
        except Exception as error:  # noqa: BLE001 - as above
            mark("DELETE_FAILED", failures.reason(error))
            return False
        mark("DELETE_COMPLETE")
        return True

    def delete_physical(self, one: Resource, policy: str | None = None) -> None:
        """Delete the resource; one that no longer exists is not an error."""
        context = self._context(one, {})
        context.cancelled = lambda: False
        context.take_snapshot = policy == "Snapshot"
        properties: Mapping[str, Any] = one.properties
        with contextlib.suppress(CloudFormationError):
            properties = self._filled(one.properties)
        try:
            with self._acting(one.type_name, properties):
                handler_of(one.type_name).delete(context, one.physical_id, properties)
        except Exception as error:
            if not failures.is_gone(error):
                raise

    def ref(self, name: str) -> str:
        """Return the value of ``Ref`` for a resource of the stack."""
        found = self.stack.resources.get(name)
        if found is None or not found.physical_id:
            raise ValidationError(
                f"Template format error: Unresolved resource dependencies [{name}] in the "
                "Resources block of the template"
            )
        return found.physical_id

    def attribute(self, name: str, attribute: str) -> Any:
        """Return the value of ``Fn::GetAtt`` for a resource of the stack."""
        found = self.stack.resources.get(name)
        if found is None or not found.physical_id:
            raise ValidationError(
                f"Template format error: Unresolved resource dependencies [{name}] in the "
                "Resources block of the template"
            )
        return attribute_of(found, attribute)

    def _context(self, one: Resource, previous_tags: Mapping[str, str]) -> Context:
        stack = self.stack
        schema = resource_schema(one.type_name, stack.region)
        return Context(
            account=stack.account,
            region=stack.region,
            partition=stack.partition,
            stack_name=stack.name,
            stack_id=stack.stack_id,
            logical_id=one.logical_id,
            resource_type=one.type_name,
            stack_tags=_of_users(one.tags),
            previous_stack_tags=_of_users(previous_tags),
            system_tags=(
                system_tags(stack.name, stack.stack_id, one.logical_id)
                if schema is not None and schema.takes_system_tags
                else {}
            ),
            token=str(uuid.uuid4()),
            suffix="".join(random.choices(string.ascii_letters + string.digits, k=12)),  # noqa: S311
            poll_interval_s=self.store.settings.poll_interval_s,
            rolling_back=self.rolling_back,
            cancelled=self.stopped,
            pause=scheduler.pause,
        )

    def _filled(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        filled: dict[str, Any] = fill_dynamic(
            dict(properties), self.stack.account, self.stack.region
        )
        return filled

    @contextlib.contextmanager
    def _acting(self, kind: str, properties: Mapping[str, Any]) -> Iterator[None]:
        """Where IAM is enforced, a handler's calls are made as the stack, or as its function."""
        revision = self.stack.revision
        with contextlib.ExitStack() as entered:
            try:
                entered.enter_context(for_stack(revision.role_arn if revision else None))
                if kind.startswith("Custom::") or kind == "AWS::CloudFormation::CustomResource":
                    entered.enter_context(for_custom_resource(properties, self.stack.region))
            except (AwsError, PermissionError) as error:
                raise HandlerFailure(str(error), "AccessDenied") from error
            yield

    def stopped(self) -> bool:
        """Return whether waiting handlers must give up."""
        if self.rolling_back:
            return False
        if self.deadline is not None and time.monotonic() > self.deadline:
            self.cancel_reason = "Stack creation time exceeded the specified timeout"
        return bool(self.failed) or self.cancel_reason is not None

    def put(self, one: Resource) -> None:
        """Make a resource the one that the stack has under its name."""
        with self.stack.lock:
            self.stack.resources[one.logical_id] = one

    def _done(self, desired: Resource, created: Created, verb: str) -> None:
        resource = replace(
            desired, physical_id=created.physical_id, attributes=dict(created.attributes)
        )
        status = f"{verb}_COMPLETE"
        self.put(replace(resource, status=status, time=self.stack.tick()))
        self.note(resource, status, created.remark)

    def fail(
        self, one: Resource, verb: str, error: Exception, *, keep: Resource | None = None
    ) -> None:
        """Record that a resource failed. With `keep`, that one stays the stack's."""
        if isinstance(error, Cancelled):
            what = "creation" if verb == "CREATE" else "update"
            text = f"Resource {what} cancelled"
        else:
            text = failures.reason(error)
        self.failed[one.logical_id] = verb
        status = f"{verb}_FAILED"
        shown = keep or one
        if keep is None or keep.logical_id in self.stack.resources:
            self.put(replace(shown, status=status, reason=text, time=self.stack.tick()))
        self.note(one, status, text)

    def mark(self, one: Resource, status: str, reason: str | None = None) -> Resource:
        """Set the state of a resource, record it as an event, and return the resource."""
        marked = replace(one, status=status, reason=reason, time=self.stack.tick())
        self.put(marked)
        self.note(marked, status, reason)
        return marked

    def note(
        self,
        one: Resource,
        status: str,
        reason: str | None = None,
        *,
        shown: bool = True,
        detailed: str | None = None,
    ) -> None:
        """Record an event of a resource, with its properties if `shown`."""
        self.stack.record(
            logical_id=one.logical_id,
            physical_id=one.physical_id,
            resource_type=one.type_name,
            status=status,
            reason=reason,
            properties=self._shown(one.properties) if shown else None,
            token=self.token,
            detailed_status=detailed,
        )

    def _shown(self, properties: Mapping[str, Any]) -> str:
        """Return properties as an event shows them: without what NoEcho parameters hide."""
        if contains_unknown(dict(properties)):
            return "{}"
        revision = self.stack.revision
        hidden = {
            str(one.value)
            for one in (revision.parameters.values() if revision else ())
            if one.hidden
        }
        return json.dumps(_masked(dict(properties), hidden), default=str)


def _of_users(tags: Mapping[str, str]) -> dict[str, str]:
    """Return the tags of a stack that go on to its resources: a nested stack has tags of AWS."""
    return {key: value for key, value in tags.items() if not is_reserved(key)}


def _exists(
    handler: Handler, context: Context, physical_id: str, properties: Mapping[str, Any]
) -> bool:
    try:
        return handler.exists(context, physical_id, properties)
    except Exception as error:
        if failures.is_gone(error):
            return False
        raise


def _masked(value: Any, hidden: set[str]) -> Any:
    if isinstance(value, Mapping):
        return {key: _masked(item, hidden) for key, item in value.items()}
    if isinstance(value, list):
        return [_masked(item, hidden) for item in value]
    return HIDDEN if isinstance(value, str) and value in hidden else value


def _own_name(
    schema: ResourceSchema | None, old: Mapping[str, Any], new: Mapping[str, Any]
) -> str | None:
    """Return the custom name that both have, so that they cannot exist side by side."""
    if schema is None or schema.deletes_first or len(schema.primary_identifier) != 1:
        return None
    (path,) = schema.primary_identifier
    if path in schema.read_only or len(path) != 1:
        return None
    name = new.get(path[0])
    return str(name) if name is not None and name == old.get(path[0]) else None
