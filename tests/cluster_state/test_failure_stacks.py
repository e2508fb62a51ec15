"""Which stacks are read, and what their change sets say."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from clusterwright.aws.cloudformation.history import StackSummary
from clusterwright.cluster_state import failure_stacks

NOW = dt.datetime(2026, 11, 23, tzinfo=dt.UTC)
SINCE = NOW - dt.timedelta(days=7)


def summary(name: str, status: str = "CREATE_COMPLETE", **values: Any) -> StackSummary:
    made = {"id": name, "reason": "", "root_id": "", "deleted": None, **values}
    return StackSummary(name=name, status=status, **made)


def test_own_nested_and_recently_deleted_stacks() -> None:
    gone = {"status": "DELETE_COMPLETE", "deleted": NOW}
    found = failure_stacks.stacks_of(
        [
            summary("prod-network"),
            summary("prod-network", id="old", **gone),
            summary("prod-eu-network"),
            summary("prod-cluster", id="first", **{**gone, "deleted": NOW - dt.timedelta(days=1)}),
            summary("prod-cluster", id="last", **gone),
            summary("prod-storage", **{**gone, "deleted": NOW - dt.timedelta(days=30)}),
            summary("prod-network-Nested", root_id="prod-network"),
            summary("prod"),
        ],
        "prod",
        SINCE,
    )
    assert [s.id for s in found] == ["prod-network", "last", "prod", "prod-network-Nested"]


def change_set(reason: str, when: dt.datetime) -> dict[str, Any]:
    return {"ChangeSetName": "c", "StatusReason": reason, "CreationTime": when}


@pytest.mark.parametrize(
    ("reason", "minutes", "status", "texts"),
    [
        ("Unable to fetch parameters", 5, "CREATE_COMPLETE", ["Unable to fetch parameters"]),
        ("Unable to fetch parameters", -5, "CREATE_COMPLETE", []),
        ("Unable to fetch parameters", -5, "REVIEW_IN_PROGRESS", ["Unable to fetch parameters"]),
        ("The submitted information didn't contain changes.", 5, "CREATE_COMPLETE", []),
    ],
)
def test_change_set_that_failed_after_the_last_event(
    monkeypatch: pytest.MonkeyPatch, reason: str, minutes: int, status: str, texts: list[str]
) -> None:
    event = {
        "EventId": "1",
        "StackName": "prod-x",
        "StackId": "s",
        "PhysicalResourceId": "s",
        "ResourceStatus": status,
        "Timestamp": NOW,
    }
    made = change_set(reason, NOW + dt.timedelta(minutes=minutes))
    monkeypatch.setattr(failure_stacks, "stack_events", lambda *_: (event,))
    monkeypatch.setattr(failure_stacks, "failed_change_sets", lambda *_: (made,))
    session: Any = object()
    found = failure_stacks.failures_of(session, summary("prod-network"))
    assert [e.text for e in found] == texts
