"""Tests of services.s3.fixes.listed_names and bucket_arns."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client


@pytest.mark.usefixtures("aws")
def test_names_are_encoded_and_owners_have_none() -> None:
    s3 = client("s3")
    assert s3.create_bucket(Bucket="one")["BucketArn"] == "arn:aws:s3:::one"
    s3.put_bucket_versioning(Bucket="one", VersioningConfiguration={"Status": "Enabled"})
    s3.put_object(Bucket="one", Key="a b/c+ü")
    s3.delete_object(Bucket="one", Key="a b/c+ü")
    # botocore asks for the encoding, and decodes names itself.
    found = s3.list_object_versions(Bucket="one", Prefix="a b/")
    assert found["EncodingType"] == "url"
    assert (found["Prefix"], found["Versions"][0]["Key"]) == ("a b/", "a b/c+ü")
    shown = s3.list_object_versions(Bucket="one", EncodingType="url")
    for kind in ("Versions", "DeleteMarkers"):
        assert shown[kind][0]["Key"] == "a%20b/c%2B%C3%BC"
        assert set(shown[kind][0]["Owner"]) == {"ID"}
    assert set(s3.list_buckets()["Owner"]) == {"ID"}
    acl = s3.get_bucket_acl(Bucket="one")
    assert set(acl["Owner"]) == {"ID"}
    assert "DisplayName" not in acl["Grants"][0]["Grantee"]
