"""Tests of services.s3.fixes.list_members."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import REGION, client


@pytest.fixture
def s3(aws: Any) -> Any:
    found = client("s3")
    found.create_bucket(Bucket="one")
    for key in ("a", "b=1", "c/d"):
        found.put_object(Bucket="one", Key=key)
    return found


def test_markers_of_objects(s3: Any) -> None:
    found = s3.list_objects(Bucket="one", MaxKeys=1)
    assert (found["Marker"], found["Prefix"]) == ("", "")
    assert "NextMarker" not in found
    asked: dict[str, Any] = {"Bucket": "one", "MaxKeys": 1, "Delimiter": "/"}
    seen = []
    for _ in range(3):
        found = s3.list_objects(**asked)
        assert found["Marker"] == asked.get("Marker", "")
        seen += [one["Key"] for one in found.get("Contents", [])]
        seen += [one["Prefix"] for one in found.get("CommonPrefixes", [])]
        asked["Marker"] = found.get("NextMarker", "")
    assert seen == ["a", "b=1", "c/"]
    assert not found["IsTruncated"]
    s3.put_bucket_versioning(Bucket="one", VersioningConfiguration={"Status": "Enabled"})
    s3.delete_object(Bucket="one", Key="c/d")
    assert "CommonPrefixes" not in s3.list_objects(Bucket="one", Delimiter="/")
    assert "CommonPrefixes" not in s3.list_objects_v2(Bucket="one", Delimiter="/")


def test_tokens_of_objects(s3: Any) -> None:
    found = s3.list_objects_v2(Bucket="one", MaxKeys=1)
    token = found["NextContinuationToken"]
    assert "ContinuationToken" not in found
    found = s3.list_objects_v2(Bucket="one", ContinuationToken=token)
    assert found["ContinuationToken"] == token
    found = s3.list_objects_v2(Bucket="one", StartAfter="b=1", EncodingType="url")
    assert found["StartAfter"] == "b%3D1"


def test_pages_of_buckets(s3: Any) -> None:
    for name in ("two", "three"):
        s3.create_bucket(Bucket=name)
    asked: dict[str, Any] = {"MaxBuckets": 1}
    seen = []
    for _ in range(3):
        found = s3.list_buckets(**asked)
        (bucket,) = found["Buckets"]
        assert bucket["BucketRegion"] == REGION
        assert bucket["BucketArn"] == f"arn:aws:s3:::{bucket['Name']}"
        seen.append(bucket["Name"])
        asked["ContinuationToken"] = found.get("ContinuationToken", "")
    assert seen == ["one", "three", "two"]
    assert "ContinuationToken" not in found
    found = s3.list_buckets(Prefix="t", BucketRegion=REGION)
    assert [one["Name"] for one in found["Buckets"]] == ["three", "two"]
    assert found["Prefix"] == "t"
    assert s3.list_buckets(BucketRegion="us-west-2")["Buckets"] == []
