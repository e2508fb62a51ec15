"""Tests of services.s3.object_acls and of grants as they are answered (fixes.acl_grants)."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from packages.localaws.tests.parts import client, refusal

GROUP = "http://acs.amazonaws.com/groups/"


@pytest.fixture
def s3(aws: Any) -> Any:
    found = client("s3")
    found.create_bucket(Bucket="one", ObjectOwnership="ObjectWriter")
    found.delete_public_access_block(Bucket="one")
    versioning = {"Status": "Enabled"}
    found.put_bucket_versioning(Bucket="one", VersioningConfiguration=versioning)
    return found


def grants(s3: Any, **version: str) -> list[tuple[str, str]]:
    listed = s3.get_object_acl(Bucket="one", Key="a", **version)["Grants"]
    return [
        (one["Permission"], one["Grantee"].get("URI", "owner").removeprefix(GROUP))
        for one in listed
    ]


def test_objects_do_not_inherit_the_list_of_the_bucket(s3: Any) -> None:
    s3.put_bucket_acl(Bucket="one", ACL="public-read")
    s3.put_object(Bucket="one", Key="a")
    assert grants(s3) == [("FULL_CONTROL", "owner")]
    s3.copy_object(Bucket="one", Key="a", CopySource="one/a", MetadataDirective="REPLACE")
    assert grants(s3) == [("FULL_CONTROL", "owner")]
    upload = s3.create_multipart_upload(Bucket="one", Key="a")["UploadId"]
    named = {"Bucket": "one", "Key": "a", "UploadId": upload}
    etag = s3.upload_part(**named, PartNumber=1, Body=b"a")["ETag"]
    parts = {"Parts": [{"PartNumber": 1, "ETag": etag}]}
    s3.complete_multipart_upload(**named, MultipartUpload=parts)
    assert grants(s3) == [("FULL_CONTROL", "owner")]


def test_a_grant_for_each_permission_and_grantee(s3: Any) -> None:
    s3.put_object(Bucket="one", Key="a", ACL="public-read-write")
    assert grants(s3)[1:] == [("READ", "global/AllUsers"), ("WRITE", "global/AllUsers")]
    two = f'uri="{GROUP}global/AllUsers", uri="{GROUP}s3/LogDelivery"'
    logs = f"uri={GROUP}s3/LogDelivery"
    s3.put_object_acl(Bucket="one", Key="a", GrantRead=two, GrantWriteACP=logs)
    assert grants(s3) == [
        ("READ", "global/AllUsers"),
        ("READ", "s3/LogDelivery"),
        ("WRITE_ACP", "s3/LogDelivery"),
    ]


def test_a_document(s3: Any) -> None:
    s3.put_object(Bucket="one", Key="a")
    owner = s3.list_buckets()["Owner"]
    listed = [
        {"Grantee": {"ID": owner["ID"], "Type": "CanonicalUser"}, "Permission": "FULL_CONTROL"},
        {"Grantee": {"URI": f"{GROUP}s3/LogDelivery", "Type": "Group"}, "Permission": "WRITE"},
    ]
    s3.put_object_acl(
        Bucket="one", Key="a", AccessControlPolicy={"Owner": owner, "Grants": listed}
    )
    assert grants(s3) == [("FULL_CONTROL", "owner"), ("WRITE", "s3/LogDelivery")]


def test_versions_and_delete_markers(s3: Any) -> None:
    first = s3.put_object(Bucket="one", Key="a")["VersionId"]
    second = s3.put_object(Bucket="one", Key="a")["VersionId"]
    s3.put_object_acl(Bucket="one", Key="a", VersionId=first, ACL="public-read")
    assert len(grants(s3, VersionId=first)) == 2
    assert len(grants(s3, VersionId=second)) == 1
    marker = s3.delete_object(Bucket="one", Key="a")["VersionId"]
    for version in ({}, {"VersionId": marker}):
        with pytest.raises(ClientError) as refused:
            s3.put_object_acl(Bucket="one", Key="a", ACL="public-read", **version)
        error = refused.value.response["Error"]
        assert (error["Code"], error["Method"], error["ResourceType"]) == (
            "MethodNotAllowed",
            "PUT",
            "DeleteMarker",
        )
    missing = refusal(s3.put_object_acl, Bucket="one", Key="b", ACL="private")
    assert missing == ("NoSuchKey", "The specified key does not exist.")
