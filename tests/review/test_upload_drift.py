"""Uploaded objects that were written again after their deployment."""

from __future__ import annotations

import datetime as dt

from clusterwright.review.results import SpecChange
from clusterwright.review.upload_drift import TYPE, Upload, upload_drift, uploads_of
from tests.review.templates import app, resource, stack

AT = dt.datetime(2026, 11, 30, 5, 33, 34, tzinfo=dt.UTC)
COPY = ("l", "Copy")
DEPLOYED = app(
    l=stack(
        {
            "Bucket": resource("AWS::S3::Bucket"),
            "Copy": resource(
                TYPE,
                DestinationBucketName={"Ref": "Bucket"},
                DestinationBucketKeyPrefix="lifecycle/194ec4",
            ),
        }
    )
)


def test_uploads_have_the_bucket_the_folder_and_the_time() -> None:
    ids = {("l", "Bucket"): "scripts"}
    assert list(uploads_of(DEPLOYED, ids, {COPY: AT})) == [
        Upload(COPY, "scripts", "lifecycle/194ec4/", AT)
    ]
    assert list(uploads_of(DEPLOYED, ids, {})) == []
    assert list(uploads_of(DEPLOYED, {}, {COPY: AT})) == []


def test_an_upload_without_objects_was_deleted() -> None:
    upload = Upload(COPY, "scripts", "lifecycle/194ec4/", AT)
    assert upload_drift(upload, ()) == (
        SpecChange("l/Copy.s3://scripts/lifecycle/194ec4/", "there", "deleted"),
    )


def test_only_what_was_written_later_differs() -> None:
    upload = Upload(COPY, "scripts", "lifecycle/194ec4/", AT)
    later = AT + dt.timedelta(minutes=5)
    written = [("lifecycle/194ec4/on_create.sh", later), ("lifecycle/194ec4/cluster.json", AT)]
    assert upload_drift(upload, written) == (
        SpecChange(
            "l/Copy.s3://scripts/lifecycle/194ec4/on_create.sh",
            "written before 2026-11-30 05:33:34 UTC",
            "written at 2026-11-30 05:38:34 UTC",
        ),
    )
