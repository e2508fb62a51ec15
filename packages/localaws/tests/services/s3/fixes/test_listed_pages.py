"""Tests of services.s3.fixes.listed_pages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from packages.localaws.tests.parts import client


@pytest.fixture
def s3(aws: Any) -> Any:
    found = client("s3")
    found.create_bucket(Bucket="one")
    found.put_bucket_versioning(Bucket="one", VersioningConfiguration={"Status": "Enabled"})
    return found


def test_pages_of_versions(s3: Any) -> None:
    written = [s3.put_object(Bucket="one", Key=key)["VersionId"] for key in "aabb"]
    marker = s3.delete_object(Bucket="one", Key="a")["VersionId"]
    expected = [marker, written[1], written[0], written[3], written[2]]
    asked: dict[str, Any] = {"Bucket": "one", "MaxKeys": 1}
    seen = []
    for _ in expected:
        found = s3.list_object_versions(**asked)
        (one,) = found.get("Versions", []) + found.get("DeleteMarkers", [])
        seen.append(one["VersionId"])
        assert one["IsLatest"] == (one["VersionId"] in (marker, written[3]))
        if found["IsTruncated"]:
            asked["KeyMarker"] = found["NextKeyMarker"]
            asked["VersionIdMarker"] = found["NextVersionIdMarker"]
    assert seen == expected
    assert not found["IsTruncated"]
    found = s3.list_object_versions(Bucket="one", KeyMarker="a")
    assert [one["Key"] for one in found["Versions"]] == ["b", "b"]


def test_versions_that_are_deleted_page_by_page(s3: Any) -> None:
    for _ in range(3):
        s3.put_object(Bucket="one", Key="a")
    for page in s3.get_paginator("list_object_versions").paginate(
        Bucket="one", PaginationConfig={"PageSize": 1}
    ):
        for one in page["Versions"]:
            s3.delete_object(Bucket="one", Key="a", VersionId=one["VersionId"])
    assert "Versions" not in s3.list_object_versions(Bucket="one")


def test_versions_under_a_prefix(s3: Any) -> None:
    for key in ("a/b/1", "a/b/2", "a/c"):
        s3.put_object(Bucket="one", Key=key)
    asked = {"Bucket": "one", "Prefix": "a/", "Delimiter": "/", "MaxKeys": 1}
    found = s3.list_object_versions(**asked)
    assert found["CommonPrefixes"] == [{"Prefix": "a/b/"}]
    assert found["NextKeyMarker"] == "a/b/"
    found = s3.list_object_versions(**asked, KeyMarker="a/b/")
    assert [one["Key"] for one in found["Versions"]] == ["a/c"]
    assert not found["IsTruncated"]


def test_pages_of_uploads(s3: Any) -> None:
    began = [
        (key, s3.create_multipart_upload(Bucket="one", Key=key)["UploadId"])
        for key in ("b", "a/1", "a/2", "b")
    ]
    expected = [began[1], began[2], began[0], began[3]]
    asked: dict[str, Any] = {"Bucket": "one", "MaxUploads": 1}
    seen = []
    for _ in expected:
        found = s3.list_multipart_uploads(**asked)
        (upload,) = found["Uploads"]
        seen.append((upload["Key"], upload["UploadId"]))
        asked["KeyMarker"] = found["NextKeyMarker"]
        asked["UploadIdMarker"] = found["NextUploadIdMarker"]
    assert seen == expected
    assert not found["IsTruncated"]
    assert abs(datetime.now(UTC) - upload["Initiated"]) < timedelta(days=1)
    found = s3.list_multipart_uploads(Bucket="one", Delimiter="/", EncodingType="url")
    assert [one["Key"] for one in found["Uploads"]] == ["b", "b"]
    assert found["CommonPrefixes"] == [{"Prefix": "a/"}]
    assert (found["Delimiter"], found["EncodingType"]) == ("/", "url")


@pytest.mark.parametrize("size", [1, 2, 3])
def test_pages_of_uploads_under_prefixes(s3: Any, size: int) -> None:
    for key in ("a/1", "a/2", "b", "c/1", "d", "d", "e/1"):
        s3.create_multipart_upload(Bucket="one", Key=key)
    asked: dict[str, Any] = {"Bucket": "one", "Delimiter": "/", "MaxUploads": size}
    seen: list[str] = []
    is_truncated = True
    while is_truncated:
        found = s3.list_multipart_uploads(**asked)
        uploads = [one["Key"] for one in found.get("Uploads", [])]
        prefixes = [one["Prefix"] for one in found.get("CommonPrefixes", [])]
        assert len(uploads) + len(prefixes) <= size
        seen += uploads + prefixes
        is_truncated = found["IsTruncated"]
        last = max(uploads + prefixes)
        # As recorded on AWS, a page that ends with a prefix has no marker: the prefix is one.
        assert found["NextKeyMarker"] == ("" if last in prefixes else last)
        asked["KeyMarker"], asked["UploadIdMarker"] = last, found["NextUploadIdMarker"]
    assert sorted(seen) == ["a/", "b", "c/", "d", "d", "e/"]
