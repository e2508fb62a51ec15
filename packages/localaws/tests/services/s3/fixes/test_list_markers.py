"""Tests of services.s3.fixes.list_markers."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.mark.usefixtures("aws")
def test_refused_lists() -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    upload = s3.create_multipart_upload(Bucket="one", Key="a")["UploadId"]
    for operation, request in (
        (s3.list_object_versions, {"Bucket": "one", "VersionIdMarker": "x"}),
        (s3.list_objects_v2, {"Bucket": "one", "ContinuationToken": ""}),
        (s3.list_multipart_uploads, {"Bucket": "one", "KeyMarker": "b", "UploadIdMarker": upload}),
        (s3.list_buckets, {"BucketRegion": "eu-east-1"}),
        (s3.list_objects_v2, {"Bucket": "one", "ContinuationToken": "zzz"}),
        (s3.list_buckets, {"ContinuationToken": "a"}),
        (s3.list_buckets, {"ContinuationToken": "\u00e9"}),
    ):
        assert refusal(operation, **request)[0] == "InvalidArgument"
    asked = {"Bucket": "none", "ContinuationToken": "zzz"}
    assert refusal(s3.list_objects_v2, **asked)[0] == "NoSuchBucket"
