"""What a stack remembers: events in order, states, exports."""

from __future__ import annotations

import datetime as dt
import itertools

import pytest

from clusterwright_localaws.cloudformation.state import (
    STACK_TYPE,
    UPDATABLE,
    UPDATABLE_AFTER_FAILURE,
    Output,
    Resource,
    Stack,
)

CREATED = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


def stack(status: str = "CREATE_COMPLETE") -> Stack:
    return Stack("111122223333", "us-east-1", "aws", "s", "arn:s", CREATED, status=status)


@pytest.mark.parametrize(
    ("status", "busy", "gone"),
    [
        ("REVIEW_IN_PROGRESS", False, False),
        ("CREATE_IN_PROGRESS", True, False),
        ("UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", True, False),
        ("ROLLBACK_COMPLETE", False, False),
        ("DELETE_COMPLETE", False, True),
    ],
)
def test_states(status: str, busy: bool, gone: bool) -> None:
    assert (stack(status).busy, stack(status).gone) == (busy, gone)


def test_what_was_rolled_back_at_creation_is_not_updatable() -> None:
    assert "ROLLBACK_COMPLETE" not in UPDATABLE | UPDATABLE_AFTER_FAILURE
    assert UPDATABLE.isdisjoint(UPDATABLE_AFTER_FAILURE)


def test_times_grow_by_at_least_a_millisecond() -> None:
    found = stack()
    times = [found.tick() for _ in range(50)]
    assert all(b - a >= dt.timedelta(milliseconds=1) for a, b in itertools.pairwise(times))
    assert all(time.microsecond % 1000 == 0 for time in times)


def test_events_of_resources_and_of_the_stack() -> None:
    found = stack()
    found.operations.append(("op-1", "CREATE_STACK"))
    event = found.record(
        logical_id="A",
        physical_id="a-1",
        resource_type="AWS::SNS::Topic",
        status="CREATE_COMPLETE",
    )
    assert event.event_id.startswith("A-CREATE_COMPLETE-")
    assert event.operation_id == "op-1"
    found.enter("DELETE_IN_PROGRESS", "User Initiated", "token")
    last = found.events[-1]
    assert (last.logical_id, last.physical_id, last.resource_type) == ("s", "arn:s", STACK_TYPE)
    assert (last.status, last.reason, last.token) == (
        "DELETE_IN_PROGRESS",
        "User Initiated",
        "token",
    )
    assert len(last.event_id) == 36
    assert (found.status, found.reason) == ("DELETE_IN_PROGRESS", "User Initiated")


def test_a_snapshot_does_not_follow_the_stack() -> None:
    found = stack()
    resource = Resource("A", "AWS::SNS::Topic", "a", "CREATE_COMPLETE", None, CREATED, {})
    found.resources["A"] = resource
    found.outputs = [Output("O", "1", None, "name")]
    kept = found.snapshot()
    found.resources.clear()
    found.outputs.clear()
    assert kept.resources == {"A": resource}
    assert [output.key for output in kept.outputs] == ["O"]


def test_exports_are_named_outputs_of_an_existing_stack() -> None:
    found = stack()
    found.outputs = [Output("O", "1", None, "name"), Output("P", "2", None, None)]
    assert found.exports() == {"name": "1"}
    found.status = "DELETE_COMPLETE"
    assert found.exports() == {}
