"""Stacks of a region, deleted ones included, and their events."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clusterwright.aws.session import AwsSession


@dataclass(frozen=True)
class StackSummary:
    """A stack of ListStacks; `root_id` is that of the outermost stack of a nested one."""

    id: str
    name: str
    status: str
    reason: str
    root_id: str
    deleted: dt.datetime | None


def stack_summaries(session: AwsSession) -> tuple[StackSummary, ...]:
    """Return every stack, and those deleted in the last 90 days.

    Raises
    ------
    AwsUnavailable
        The stacks cannot be listed.
    """
    return tuple(
        StackSummary(
            found.get("StackId") or found["StackName"],
            found["StackName"],
            found["StackStatus"],
            found.get("StackStatusReason") or "",
            found.get("RootId") or found.get("ParentId") or "",
            found.get("DeletionTime"),
        )
        for found in session.items("cloudformation", "ListStacks", "StackSummaries")
    )


def stack_events(session: AwsSession, stack_id: str, maximum: int) -> tuple[Any, ...]:
    """Return the newest events of a stack, newest first, as the API returns them.

    Raises
    ------
    AwsUnavailable
        The events cannot be read.
    """
    found: list[Mapping[str, Any]] = []
    for page in session.pages("cloudformation", "DescribeStackEvents", StackName=stack_id):
        found += page["StackEvents"]
        if len(found) >= maximum:
            break
    return tuple(found[:maximum])


def failed_change_sets(session: AwsSession, stack_id: str) -> tuple[Any, ...]:
    """Return the change sets of a stack that could not be made, newest first.

    Raises
    ------
    AwsUnavailable
        The change sets cannot be listed.
    """
    found = [
        summary
        for summary in session.items(
            "cloudformation", "ListChangeSets", "Summaries", StackName=stack_id
        )
        if summary.get("Status") == "FAILED" and summary.get("StatusReason")
    ]
    return tuple(sorted(found, key=lambda s: s["CreationTime"], reverse=True))
