"""The failures of the last operation of a stack."""

from __future__ import annotations

import datetime as dt

from clusterwright.diagnosis.stack_events import StackEvent, failures
from tests.diagnosis.made import NOW


def events(*rows: tuple[str, str, str]) -> list[StackEvent]:
    """Newest first, as the API; rows are name, status and reason, oldest first."""
    made = [
        StackEvent(
            id=str(number),
            stack="prod-x",
            stack_id="stack",
            logical_id=name,
            physical_id="stack" if name == "prod-x" else "",
            type="T",
            status=status,
            reason=reason,
            time=NOW + dt.timedelta(seconds=number),
        )
        for number, (name, status, reason) in enumerate(rows)
    ]
    return made[::-1]


CREATED = (("prod-x", "CREATE_IN_PROGRESS", ""), ("A", "CREATE_FAILED", "no"))


def test_failed_creation_names_the_resource() -> None:
    (found,) = failures(events(*CREATED, ("prod-x", "ROLLBACK_COMPLETE", "")))
    assert (found.text, found.resource, found.failed) == ("no", "prod-x/A", True)


def test_later_success_has_no_failures() -> None:
    later = (("prod-x", "UPDATE_IN_PROGRESS", ""), ("prod-x", "UPDATE_COMPLETE", ""))
    assert failures(events(*CREATED, ("prod-x", "ROLLBACK_COMPLETE", ""), *later)) == ()


def test_failed_clean_up_of_a_successful_update_is_no_failure() -> None:
    rows = (
        ("prod-x", "UPDATE_IN_PROGRESS", ""),
        ("prod-x", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", ""),
        ("Old", "DELETE_FAILED", "in use"),
        ("prod-x", "UPDATE_COMPLETE", ""),
    )
    assert failures(events(*rows)) == ()


def test_deleted_stack_shows_why_its_creation_failed() -> None:
    rows = (("prod-x", "DELETE_IN_PROGRESS", ""), ("prod-x", "DELETE_COMPLETE", ""))
    assert [f.text for f in failures(events(*CREATED, *rows))] == ["no"]


def test_reason_of_the_stack_itself_counts() -> None:
    rows = (
        ("prod-x", "UPDATE_IN_PROGRESS", ""),
        ("prod-x", "UPDATE_ROLLBACK_IN_PROGRESS", "Export in use"),
    )
    assert [f.text for f in failures(events(*rows))] == ["Export in use"]
