"""Tests of services.s3.fixes.delete_markers."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws.services.s3.fixes.version_ids import version_id
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
    unknown = version_id("another")
    assert refusal(s3.get_object, **asked, VersionId=unknown)[0] == "NoSuchVersion"


@pytest.mark.usefixtures("aws")
def test_refusals_name_the_marker() -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    s3.put_bucket_versioning(Bucket="one", VersioningConfiguration={"Status": "Enabled"})
    marker = s3.delete_object(Bucket="one", Key="a")["VersionId"]
    for version in ({}, {"VersionId": marker}):
        with pytest.raises(ClientError) as refused:
            s3.get_object(Bucket="one", Key="a", **version)
        headers = refused.value.response["ResponseMetadata"]["HTTPHeaders"]
        assert headers["x-amz-delete-marker"] == "true"
        assert headers["x-amz-version-id"] == marker
        assert headers.get("allow") == ("DELETE" if version else None)
