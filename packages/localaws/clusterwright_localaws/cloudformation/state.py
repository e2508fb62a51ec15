"""State of the local CloudFormation: stacks, their resources, events and change sets."""

from __future__ import annotations

import datetime as dt
import threading
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from clusterwright_localaws.cloudformation.parameters import Parameter
from clusterwright_localaws.cloudformation.template import Template

# Operations that may start only from these states.
# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/view-stack-events.html
UPDATABLE = frozenset(
    {
        "CREATE_COMPLETE",
        "IMPORT_COMPLETE",
        "IMPORT_ROLLBACK_COMPLETE",
        "UPDATE_COMPLETE",
        "UPDATE_ROLLBACK_COMPLETE",
    }
)
# With rollback disabled, an update may be tried again on what failed.
# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/stack-failure-options.html
UPDATABLE_AFTER_FAILURE = frozenset({"CREATE_FAILED", "UPDATE_FAILED"})


@dataclass(frozen=True)
class Event:
    """One line of a stack's history."""

    event_id: str
    operation_id: str
    logical_id: str
    physical_id: str
    resource_type: str
    status: str
    reason: str | None
    properties: str | None
    token: str | None
    time: dt.datetime
    detailed_status: str | None = None


@dataclass(frozen=True)
class Failure:
    """One thing that early validation found; `mode` is ``FAIL`` or ``WARN``."""

    event_id: str
    operation_id: str
    logical_id: str
    physical_id: str
    resource_type: str
    message: str
    path: str
    time: dt.datetime
    name: str
    mode: str


@dataclass
class Resource:
    """One resource of a stack, as the last successful operation left it.

    `properties` are the template's after evaluation, before dynamic references are filled in;
    `dirty` means that an update failed midway, so that the state in the API is unknown.
    """

    logical_id: str
    type_name: str
    physical_id: str
    status: str
    reason: str | None
    time: dt.datetime
    definition: Mapping[str, Any]
    properties: Mapping[str, Any] = field(default_factory=dict)
    attributes: Mapping[str, Any] = field(default_factory=dict)
    deletion_policy: str | None = None
    update_replace_policy: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    dirty: bool = False
    drift_status: str = "NOT_CHECKED"
    drift_time: dt.datetime | None = None


@dataclass
class Output:
    """One output of a stack; `export` is the name it is exported under."""

    key: str
    value: str
    description: str | None
    export: str | None


@dataclass(frozen=True)
class Revision:
    """The revision of a stack that a create or an update requests."""

    template: Template
    parameters: Mapping[str, Parameter]
    tags: Mapping[str, str]
    capabilities: Sequence[str] = ()
    role_arn: str | None = None
    notification_arns: Sequence[str] = ()
    rollback_configuration: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Snapshot:
    """The last stable state of a stack, to which a rollback returns."""

    revision: Revision | None
    resources: Mapping[str, Resource]
    outputs: Sequence[Output]
    imports: frozenset[str]


@dataclass
class Stack:
    """A stack. Fields are changed only with `lock` held."""

    account: str
    region: str
    partition: str
    name: str
    stack_id: str
    created: dt.datetime
    revision: Revision | None = None
    status: str = "REVIEW_IN_PROGRESS"
    reason: str | None = None
    updated: dt.datetime | None = None
    deleted: dt.datetime | None = None
    disable_rollback: bool = False
    on_failure: str = "ROLLBACK"
    timeout_minutes: int | None = None
    termination_protection: bool = False
    policy: str | None = None
    change_set_id: str | None = None
    parent_id: str | None = None
    root_id: str | None = None
    resources: dict[str, Resource] = field(default_factory=dict)
    garbage: list[Resource] = field(default_factory=list)
    stable: Snapshot | None = None
    outputs: list[Output] = field(default_factory=list)
    imports: frozenset[str] = frozenset()
    events: list[Event] = field(default_factory=list)
    change_sets: dict[str, ChangeSet] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    operations: list[tuple[str, str]] = field(default_factory=list)
    drift: dict[str, Any] = field(default_factory=dict)
    drifts: dict[str, Any] = field(default_factory=dict)
    deployment_config: Mapping[str, Any] | None = None
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False)
    _last_event: dt.datetime | None = None

    @property
    def gone(self) -> bool:
        """Return whether the stack was deleted and can be found only by its id."""
        return self.status == "DELETE_COMPLETE"

    @property
    def busy(self) -> bool:
        """Return whether an operation is in progress."""
        return self.status.endswith("_IN_PROGRESS") and self.status != "REVIEW_IN_PROGRESS"

    def tick(self) -> dt.datetime:
        """Return the time, later by at least a millisecond than the last event's.

        Clients sort events by their time in milliseconds, and must see them in our order.
        """
        now = dt.datetime.now(dt.UTC)
        now = now.replace(microsecond=now.microsecond // 1000 * 1000)
        if self._last_event is not None and now <= self._last_event:
            now = self._last_event + dt.timedelta(milliseconds=1)
        self._last_event = now
        return now

    def record(
        self,
        *,
        logical_id: str,
        physical_id: str,
        resource_type: str,
        status: str,
        reason: str | None = None,
        properties: str | None = None,
        token: str | None = None,
        detailed_status: str | None = None,
    ) -> Event:
        """Append an event to the history."""
        with self.lock:
            event = Event(
                # AWS's form is the resource, the status and an id.
                event_id=f"{logical_id}-{status}-{uuid.uuid4()}"
                if resource_type != STACK_TYPE
                else str(uuid.uuid4()),
                operation_id=self.operations[-1][0] if self.operations else "",
                logical_id=logical_id,
                physical_id=physical_id,
                resource_type=resource_type,
                status=status,
                reason=reason,
                properties=properties,
                token=token,
                time=self.tick(),
                detailed_status=detailed_status,
            )
            self.events.append(event)
            return event

    def enter(self, status: str, reason: str | None = None, token: str | None = None) -> None:
        """Take on a status, with its event."""
        with self.lock:
            self.status = status
            self.reason = reason
            self.record(
                logical_id=self.name,
                physical_id=self.stack_id,
                resource_type=STACK_TYPE,
                status=status,
                reason=reason,
                token=token,
            )

    def snapshot(self) -> Snapshot:
        """Return a copy of the stack's state. Later changes replace resources and never modify
        them.
        """
        return Snapshot(self.revision, dict(self.resources), tuple(self.outputs), self.imports)

    def exports(self) -> dict[str, str]:
        """Return what the stack exports, by name."""
        if self.gone:
            return {}
        return {one.export: one.value for one in self.outputs if one.export is not None}


@dataclass
class ChangeSet:
    """A planned change of a stack."""

    name: str
    change_set_id: str
    stack_id: str
    kind: str
    revision: Revision | None
    created: dt.datetime
    description: str | None = None
    status: str = "CREATE_PENDING"
    reason: str | None = None
    warning: str | None = None
    """What is said in place of the reason where the values of properties are asked for."""
    execution_status: str = "UNAVAILABLE"
    changes: list[dict[str, Any]] = field(default_factory=list)
    include_nested_stacks: bool = False
    import_existing: bool = False
    on_stack_failure: str | None = None
    deployment_config: Mapping[str, Any] | None = None
    operation_id: str = ""


STACK_TYPE = "AWS::CloudFormation::Stack"


class StackOperation(Protocol):
    """An operation that runs on a stack, as the store keeps it."""

    stack: Stack
    finished: threading.Event

    def cancel(self, reason: str) -> None:
        """Cancel at the next opportunity, and roll back with this reason."""
