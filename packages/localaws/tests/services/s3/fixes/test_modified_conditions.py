"""Tests of services.s3.fixes.modified_conditions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")


def test_times_in_the_future() -> None:
    s3 = client("s3")
    key = {"Bucket": "one", "Key": "a"}
    s3.create_bucket(Bucket="one")
    s3.put_object(**key, Body=b"text")
    now = s3.head_object(**key)["LastModified"]
    later = datetime.now(UTC) + timedelta(days=1)
    for read in (s3.get_object, s3.head_object):
        assert refusal(read, **key, IfModifiedSince=now)[0] == "304"
        assert read(**key, IfModifiedSince=later)["ContentLength"] == 4


def test_conditions_beside_others() -> None:
    s3 = client("s3")
    key = {"Bucket": "one", "Key": "a"}
    s3.create_bucket(Bucket="one")
    etag = s3.put_object(**key, Body=b"text")["ETag"]
    now = s3.head_object(**key)["LastModified"]
    before = now - timedelta(days=1)
    for read in (s3.get_object, s3.head_object):
        for one in (etag, etag.strip('"'), "*"):
            assert read(**key, IfMatch=one, IfUnmodifiedSince=before)["ContentLength"] == 4
        both = {"IfMatch": "other", "IfUnmodifiedSince": before}
        assert refusal(read, **key, **both)[0] in ("412", "PreconditionFailed")
        alone = refusal(read, **key, IfUnmodifiedSince=before, IfNoneMatch=etag)
        assert alone[0] in ("412", "PreconditionFailed")
        assert read(**key, IfNoneMatch="other", IfModifiedSince=now)["ContentLength"] == 4
        assert refusal(read, **key, IfNoneMatch=etag.strip('"'))[0] == "304"
