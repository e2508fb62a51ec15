"""Stack events as evidence: the failures of the last operation of each stack."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clusterwright.diagnosis.model import Evidence

_BEGINNINGS: Final = frozenset(
    {
        "CREATE_IN_PROGRESS",
        "UPDATE_IN_PROGRESS",
        "DELETE_IN_PROGRESS",
        "IMPORT_IN_PROGRESS",
        "REVIEW_IN_PROGRESS",
    }
)
_SUCCEEDED: Final = frozenset(
    {"CREATE_COMPLETE", "UPDATE_COMPLETE", "IMPORT_COMPLETE", "DELETE_COMPLETE"}
)


@dataclass(frozen=True)
class StackEvent:
    """An event of DescribeStackEvents."""

    id: str
    stack: str
    stack_id: str
    logical_id: str
    physical_id: str
    type: str
    status: str
    reason: str
    time: dt.datetime

    @property
    def is_stack(self) -> bool:
        return self.physical_id == self.stack_id


def last_operation(newest_first: Sequence[StackEvent]) -> tuple[StackEvent, ...]:
    """The events of the last operation, oldest first.

    The deletion of a stack that was never created (`--on-failure DELETE`, or a new `cdk deploy`
    of a stack in ROLLBACK_COMPLETE) belongs to its creation.
    """
    kept: list[StackEvent] = []
    for event in newest_first:
        kept.append(event)
        if event.is_stack and event.status in _BEGINNINGS:
            if event.status == "DELETE_IN_PROGRESS" and kept[0].status == "DELETE_COMPLETE":
                continue
            break
    return tuple(reversed(kept))


def failures(newest_first: Sequence[StackEvent]) -> tuple[Evidence, ...]:
    """What failed in the last operation; nothing if it succeeded.

    A failed clean-up after an update that succeeded is not a failure of the update.
    """
    events = last_operation(newest_first)
    ended = next((e for e in reversed(events) if e.is_stack), None)
    if ended is None:
        return ()
    if ended.status == "DELETE_COMPLETE":
        stack = {event.status for event in events if event.is_stack}
        if "CREATE_IN_PROGRESS" not in stack or "CREATE_COMPLETE" in stack:
            return ()
    elif ended.status in _SUCCEEDED and not any(_rolled_back(event) for event in events):
        return ()
    return tuple(_evidence(event) for event in events if _failed(event))


def _rolled_back(event: StackEvent) -> bool:
    return event.is_stack and ("ROLLBACK" in event.status or event.status.endswith("_FAILED"))


def _failed(event: StackEvent) -> bool:
    if not event.reason:
        return False
    if event.is_stack:
        return _rolled_back(event)
    return event.status.endswith("_FAILED")


def _evidence(event: StackEvent) -> Evidence:
    return Evidence(
        kind="stack-event",
        source=f"CloudFormation events of {event.stack}",
        id=event.id,
        time=event.time,
        text=event.reason,
        stack=event.stack,
        resource="" if event.is_stack else f"{event.stack}/{event.logical_id}",
        failed=True,
        fields={
            "resource_type": event.type,
            "status": event.status,
            "physical_id": event.physical_id,
        },
    )
