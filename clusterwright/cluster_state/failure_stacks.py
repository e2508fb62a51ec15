"""The failures of a cluster's stacks: events, nested stacks, deleted stacks, change sets."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any, Final

from clusterwright.aws.cloudformation.history import (
    StackSummary,
    failed_change_sets,
    stack_events,
)
from clusterwright.aws.cloudformation.stacks import stacks
from clusterwright.aws.session import AwsSession
from clusterwright.diagnosis.model import Evidence
from clusterwright.diagnosis.stack_events import StackEvent, failures
from clusterwright.platforms.stack_names import part_of

MAXIMUM_EVENTS: Final = 2000
"""Of one stack: about four for each of 500 resources, which is CloudFormation's limit."""

_WITHOUT_CHANGES: Final = ("didn't contain changes", "No updates are to be performed")
_GONE: Final = "DELETE_COMPLETE"


def stacks_of(
    summaries: Sequence[StackSummary], environment: str, since: dt.datetime
) -> tuple[StackSummary, ...]:
    """The stacks of an environment whose events matter: deployed ones with nested stacks, and a
    deleted one only where it was not deployed again.
    """
    own = [s for s in summaries if s.name == environment or part_of(environment, s.name)]
    there = {s.name for s in own if s.status != _GONE}
    latest: dict[str, StackSummary] = {}
    for summary in own:
        gone = summary.status == _GONE
        if gone and (summary.name in there or summary.deleted is None or summary.deleted < since):
            continue
        known = latest.get(summary.name)
        if known is None or _time(known) < _time(summary):
            latest[summary.name] = summary
    roots = {summary.id for summary in latest.values()}
    nested = [s for s in summaries if s.root_id in roots and s.id not in roots]
    return (*latest.values(), *nested)


def states_of(session: AwsSession, environment: str) -> tuple[Evidence, ...]:
    """The stacks of an environment whose last operation failed, with the reason of the stack.

    Raises
    ------
    AwsUnavailable
        The stacks cannot be described.
    """
    return tuple(
        Evidence(
            kind="stack-state",
            source="CloudFormation DescribeStacks",
            id=stack.name,
            time=None,
            text=f"{stack.status}: {stack.reason}" if stack.reason else stack.status,
            stack=stack.name,
            resource=stack.name,
            failed=True,
        )
        for stack in stacks(session)
        if (stack.name == environment or part_of(environment, stack.name))
        and (stack.status.endswith("_FAILED") or "ROLLBACK" in stack.status)
    )


def failures_of(session: AwsSession, stack: StackSummary) -> tuple[Evidence, ...]:
    """The failures of a stack's last operation.

    Raises
    ------
    AwsUnavailable
        Its events cannot be read.
    """
    events = [_event(answer) for answer in stack_events(session, stack.id, MAXIMUM_EVENTS)]
    found = failures(events)
    if stack.status == _GONE or stack.root_id:
        return found
    return (*found, *_change_sets(session, stack, events))


def _change_sets(
    session: AwsSession, stack: StackSummary, events: Sequence[StackEvent]
) -> tuple[Evidence, ...]:
    """A change set that could not be made after the last event: `cdk deploy` ended with it."""
    last = max((event.time for event in events), default=None)
    for answer in failed_change_sets(session, stack.id)[:1]:
        reason = str(answer["StatusReason"])
        if any(words in reason for words in _WITHOUT_CHANGES):
            return ()
        if (
            last is not None
            and answer["CreationTime"] < last
            and events[0].status != ("REVIEW_IN_PROGRESS")
        ):
            return ()
        return (
            Evidence(
                kind="stack-event",
                source=f"CloudFormation change sets of {stack.name}",
                id=str(answer["ChangeSetName"]),
                time=answer["CreationTime"],
                text=reason,
                stack=stack.name,
                resource=stack.name,
                failed=True,
            ),
        )
    return ()


def _event(answer: Any) -> StackEvent:
    return StackEvent(
        id=answer["EventId"],
        stack=answer["StackName"],
        stack_id=answer["StackId"],
        logical_id=answer.get("LogicalResourceId") or "",
        physical_id=answer.get("PhysicalResourceId") or "",
        type=answer.get("ResourceType") or "",
        status=answer.get("ResourceStatus") or "",
        reason=answer.get("ResourceStatusReason") or "",
        time=answer["Timestamp"],
    )


def _time(summary: StackSummary) -> dt.datetime:
    return summary.deleted or dt.datetime.max.replace(tzinfo=dt.UTC)
