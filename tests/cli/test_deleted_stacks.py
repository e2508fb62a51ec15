"""Stacks that `drift` says were deleted."""

from __future__ import annotations

import datetime as dt
from typing import cast

import pytest

from clusterwright.aws.cloudformation import history
from clusterwright.aws.cloudformation.history import StackSummary
from clusterwright.aws.cloudformation.stacks import Stack
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession
from clusterwright.cli.deleted_stacks import deleted_stacks
from clusterwright.operate.results import Difference, NotCompared

SESSION = cast(AwsSession, object())
DEPLOYED = dt.datetime(2026, 11, 23, 8, tzinfo=dt.UTC)


def at(hour: int) -> dt.datetime:
    return dt.datetime(2026, 11, 23, hour, tzinfo=dt.UTC)


def summary(name: str, deleted: int | None) -> StackSummary:
    status = "CREATE_COMPLETE" if deleted is None else "DELETE_COMPLETE"
    return StackSummary(name, name, status, "", "", None if deleted is None else at(deleted))


def found(
    monkeypatch: pytest.MonkeyPatch,
    *summaries: StackSummary,
    changed_at: dt.datetime | None = DEPLOYED,
) -> list[Difference | NotCompared]:
    monkeypatch.setattr(history, "stack_summaries", lambda session: summaries)
    network = Stack("test-network", "CREATE_COMPLETE", None, False, changed_at=changed_at)
    return list(deleted_stacks(SESSION, "test", {network.name: network}))


def test_stack_that_was_deleted_after_the_deployment(monkeypatch: pytest.MonkeyPatch) -> None:
    deleted = [summary("test-storage", 5), summary("test-storage", 9), summary("test-network", 9)]
    assert found(monkeypatch, summary("test-network", None), *deleted) == [
        Difference("test-storage", "", "deleted at 2026-11-23T09:00:00Z", "there", "stack")
    ]


@pytest.mark.parametrize(
    "one",
    [
        # A deployment after it did not need it.
        summary("test-storage", 7),
        # Of another environment, and no part of this one.
        summary("test-eu-storage", 9),
        summary("test-other", 9),
        summary("test-storage", None),
    ],
)
def test_other_stacks_are_no_difference(
    monkeypatch: pytest.MonkeyPatch, one: StackSummary
) -> None:
    assert found(monkeypatch, one) == []


def test_without_a_time_of_the_deployment_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(monkeypatch, summary("test-storage", 9), changed_at=None) == []


def test_stacks_that_cannot_be_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(session: AwsSession) -> tuple[StackSummary, ...]:
        raise AwsUnavailable(
            service="cloudformation",
            operation="ListStacks",
            region="us-east-1",
            reason="denied",
            detail="no",
        )

    monkeypatch.setattr(history, "stack_summaries", denied)
    stack = Stack("test-network", "CREATE_COMPLETE", None, False, changed_at=DEPLOYED)
    (one,) = deleted_stacks(SESSION, "test", {stack.name: stack})
    assert isinstance(one, NotCompared)
    assert (one.what, one.is_unread) == ("stacks that were deleted", True)
