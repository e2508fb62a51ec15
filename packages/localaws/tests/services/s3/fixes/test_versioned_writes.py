"""Tests of services.s3.fixes.versioned_writes."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.services.s3.fixes.version_ids import version_id
from packages.localaws.tests.parts import client, refusal

KEY = {"Bucket": "one", "Key": "a"}


@pytest.fixture
def s3(aws: Any) -> Any:
    """A client, with a bucket that has versions."""
    found = client("s3")
    found.create_bucket(Bucket="one")
    _set(found, "Enabled")
    return found


def _set(s3: Any, status: str) -> None:
    s3.put_bucket_versioning(Bucket="one", VersioningConfiguration={"Status": status})


def _listed(s3: Any) -> tuple[list[str], list[str]]:
    """The versions and the delete markers of the bucket, the newest first."""
    found = s3.list_object_versions(Bucket="one")
    return (
        [one["VersionId"] for one in found.get("Versions", [])],
        [one["VersionId"] for one in found.get("DeleteMarkers", [])],
    )


def test_suspended_versioning_keeps_versions(s3: Any) -> None:
    first = s3.put_object(**KEY, Body=b"1")["VersionId"]
    _set(s3, "Suspended")
    assert "VersionId" not in s3.put_object(**KEY, Body=b"2")
    s3.put_object(**KEY, Body=b"3")
    assert _listed(s3) == (["null", first], [])
    found = s3.get_object(**KEY)
    assert (found["VersionId"], found["Body"].read()) == ("null", b"3")
    assert s3.get_object(**KEY, VersionId=first)["Body"].read() == b"1"
    assert s3.head_object(**KEY, VersionId=first)["VersionId"] == first
    assert s3.head_object(**KEY, VersionId="null")["ContentLength"] == 1
    _set(s3, "Enabled")
    third = s3.put_object(**KEY, Body=b"4")["VersionId"]
    assert _listed(s3) == ([third, "null", first], [])


def test_suspended_versioning_deletes_the_version_null(s3: Any) -> None:
    first = s3.put_object(**KEY, Body=b"1")["VersionId"]
    _set(s3, "Suspended")
    s3.put_object(**KEY, Body=b"2")
    for _ in range(2):
        deleted = s3.delete_object(**KEY)
        assert (deleted["VersionId"], deleted["DeleteMarker"]) == ("null", True)
        assert _listed(s3) == ([first], ["null"])
    assert s3.delete_object(**KEY, VersionId="null")["DeleteMarker"]
    assert _listed(s3) == ([first], [])


def test_a_deletion_always_leaves_a_marker(s3: Any) -> None:
    one = s3.delete_object(**KEY)
    assert one["DeleteMarker"]
    two = s3.delete_object(**KEY)
    assert _listed(s3) == ([], [two["VersionId"], one["VersionId"]])
    removed = s3.delete_object(**KEY, VersionId=one["VersionId"])
    assert (removed["DeleteMarker"], removed["VersionId"]) == (True, one["VersionId"])
    again = s3.delete_object(**KEY, VersionId=one["VersionId"])
    assert "DeleteMarker" not in again
    assert _listed(s3) == ([], [two["VersionId"]])


def test_several_deletions(s3: Any) -> None:
    version = s3.put_object(**KEY, Body=b"1")["VersionId"]
    found = s3.delete_objects(Bucket="one", Delete={"Objects": [{"Key": "a"}, {"Key": "b"}]})
    assert [one["DeleteMarker"] for one in found["Deleted"]] == [True, True]
    marker = found["Deleted"][0]["DeleteMarkerVersionId"]
    unknown = version[:-4] + "ABCD"
    named = [{"Key": "a", "VersionId": one} for one in (marker, version, unknown)]
    found = s3.delete_objects(Bucket="one", Delete={"Objects": named})
    assert found["Deleted"] == [
        {
            "Key": "a",
            "VersionId": marker,
            "DeleteMarker": True,
            "DeleteMarkerVersionId": marker,
        },
        {"Key": "a", "VersionId": version},
    ]
    (error,) = found["Errors"]
    assert (error["Code"], error["VersionId"]) == ("NoSuchVersion", unknown)


def test_a_bucket_without_versions(aws: Any) -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    s3.put_object(**KEY, Body=b"1")
    assert "VersionId" not in s3.get_object(**KEY, VersionId="null")
    assert s3.head_object(**KEY, VersionId="null")["ContentLength"] == 1
    s3.delete_object(**KEY, VersionId=version_id("another"))
    assert s3.head_object(**KEY)
    s3.delete_object(**KEY, VersionId="null")
    assert refusal(s3.get_object, **KEY)[0] == "NoSuchKey"
    assert s3.delete_objects(Bucket="one", Delete={"Objects": [{"Key": "a"}]})["Deleted"] == [
        {"Key": "a"}
    ]
