"""Tests of services.s3.fixes.kept_tags."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client


@pytest.mark.usefixtures("aws")
def test_tags_without_a_value_and_sets_without_tags() -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    tags = [{"Key": "a", "Value": ""}]
    s3.put_bucket_tagging(Bucket="one", Tagging={"TagSet": tags})
    assert s3.get_bucket_tagging(Bucket="one")["TagSet"] == tags
    s3.put_object(Bucket="one", Key="a", Tagging="b=1")
    s3.put_object_tagging(Bucket="one", Key="a", Tagging={"TagSet": tags})
    assert s3.get_object_tagging(Bucket="one", Key="a")["TagSet"] == tags
    s3.put_object_tagging(Bucket="one", Key="a", Tagging={"TagSet": []})
    assert s3.get_object_tagging(Bucket="one", Key="a")["TagSet"] == []


@pytest.mark.usefixtures("aws")
def test_tags_of_versions() -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    s3.put_bucket_versioning(Bucket="one", VersioningConfiguration={"Status": "Enabled"})
    named = {"Bucket": "one", "Key": "a"}
    first = s3.put_object(**named, Tagging="b=1")["VersionId"]
    second = s3.put_object(**named)["VersionId"]
    tags = {"TagSet": [{"Key": "c", "Value": "2"}]}
    assert s3.put_object_tagging(**named, Tagging=tags)["VersionId"] == second
    found = s3.get_object_tagging(**named, VersionId=first)
    assert (found["VersionId"], found["TagSet"]) == (first, [{"Key": "b", "Value": "1"}])
    assert s3.delete_object_tagging(**named)["VersionId"] == second
    assert s3.delete_object_tagging(**named, VersionId=first)["VersionId"] == first
    assert s3.get_object_tagging(**named, VersionId=first)["TagSet"] == []
