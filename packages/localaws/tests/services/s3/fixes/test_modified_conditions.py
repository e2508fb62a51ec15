"""Tests of services.s3.fixes.modified_conditions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.mark.usefixtures("aws")
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
