"""Uploads of the deployed stacks: which can be compared, and what is unknown."""

from __future__ import annotations

import datetime as dt
from typing import cast

import pytest

from clusterwright.aws.cloudformation.stacks import StackResource
from clusterwright.aws.session import AwsSession
from clusterwright.cli.rewritten_uploads import rewritten_uploads
from clusterwright.operate.results import NotCompared
from clusterwright.review.results import SpecChange, Unknown
from clusterwright.review.upload_drift import TYPE
from tests.review.templates import app, resource, stack

AT = dt.datetime(2026, 11, 30, 5, 33, 34, tzinfo=dt.UTC)
DEPLOYED = app(
    l=stack(
        {
            "Copy": resource(
                TYPE, DestinationBucketName="scripts", DestinationBucketKeyPrefix="lifecycle/1"
            )
        }
    )
)
FOLDER = "s3://scripts/lifecycle/1/"
KEY = "lifecycle/1/on_create.sh"


def found(
    monkeypatch: pytest.MonkeyPatch, status: str, *written: tuple[str, dt.datetime]
) -> tuple[tuple[SpecChange, ...], tuple[NotCompared, ...], list[Unknown]]:
    """Differences, what is not compared, and unknown parts, with the copy in this status."""
    copy = StackResource("Copy", TYPE, "copy-1", updated_at=AT, status=status)
    where = "clusterwright.aws"
    monkeypatch.setattr(f"{where}.cloudformation.stacks.stack_resources", lambda *_: (copy,))
    monkeypatch.setattr(f"{where}.s3.written_at", lambda *_: iter(written))
    unknown: list[Unknown] = []
    return *rewritten_uploads(cast(AwsSession, object()), DEPLOYED, unknown), unknown


def test_a_copy_that_is_complete_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    later = AT + dt.timedelta(minutes=5)
    changes, (removals,), unknown = found(monkeypatch, "UPDATE_COMPLETE", (KEY, later))
    assert [change.path for change in changes] == [f"l/Copy.s3://scripts/{KEY}"]
    assert removals.what == f"files that were deleted from {FOLDER}"
    assert not removals.is_unread
    assert unknown == []


def test_a_folder_without_objects_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    deleted = SpecChange(f"l/Copy.{FOLDER}", "there", "deleted")
    assert found(monkeypatch, "CREATE_COMPLETE") == ((deleted,), (), [])


@pytest.mark.parametrize("status", ["UPDATE_IN_PROGRESS", "UPDATE_FAILED"])
def test_a_copy_that_is_not_complete_is_unknown(
    monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    """Its time is when the copy began or failed: its own files may be later."""
    later = AT + dt.timedelta(seconds=20)
    changes, removals, (part,) = found(monkeypatch, status, (KEY, later))
    assert (changes, removals) == ((), ())
    assert part.what == "the uploaded files of l/Copy"
    assert status in part.reason
