"""Tests of services.s3.fixes.delete_markers."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.mark.usefixtures("aws")
def test_a_delete_marker_has_no_content() -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    s3.put_bucket_versioning(Bucket="one", VersioningConfiguration={"Status": "Enabled"})
    version = s3.put_object(Bucket="one", Key="a", Body=b"x")["VersionId"]
    marker = s3.delete_object(Bucket="one", Key="a")["VersionId"]
    asked = {"Bucket": "one", "Key": "a"}
    assert refusal(s3.get_object, **asked)[0] == "NoSuchKey"
    assert refusal(s3.get_object, **asked, VersionId=marker)[0] == "MethodNotAllowed"
    assert s3.get_object(**asked, VersionId=version)["Body"].read() == b"x"
    unknown = "00000000-0000-0000-0000-000000000000"
    assert refusal(s3.get_object, **asked, VersionId=unknown)[0] == "NoSuchVersion"
