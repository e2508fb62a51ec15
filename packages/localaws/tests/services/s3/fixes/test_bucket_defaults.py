"""Tests of services.s3.fixes.bucket_defaults."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal


def encryption(bucket: str) -> Any:
    found = client("s3").get_bucket_encryption(Bucket=bucket)
    (rule,) = found["ServerSideEncryptionConfiguration"]["Rules"]
    return rule["ApplyServerSideEncryptionByDefault"]["SSEAlgorithm"], rule["BucketKeyEnabled"]


@pytest.mark.usefixtures("aws")
def test_encryption_is_reset_when_its_configuration_is_deleted() -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    assert encryption("one") == ("AES256", False)
    rule = {"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "aws:kms"}}
    s3.put_bucket_encryption(Bucket="one", ServerSideEncryptionConfiguration={"Rules": [rule]})
    assert encryption("one")[0] == "aws:kms"
    s3.delete_bucket_encryption(Bucket="one")
    assert encryption("one") == ("AES256", False)


@pytest.mark.usefixtures("aws")
def test_objects_name_their_encryption_also_when_uploaded_in_parts() -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    assert s3.put_object(Bucket="one", Key="a", Body=b"x")["ServerSideEncryption"] == "AES256"
    upload = s3.create_multipart_upload(Bucket="one", Key="b")["UploadId"]
    part = s3.upload_part(Bucket="one", Key="b", UploadId=upload, PartNumber=1, Body=b"x")
    s3.complete_multipart_upload(
        Bucket="one",
        Key="b",
        UploadId=upload,
        MultipartUpload={"Parts": [{"PartNumber": 1, "ETag": part["ETag"]}]},
    )
    assert s3.head_object(Bucket="one", Key="b")["ServerSideEncryption"] == "AES256"


@pytest.mark.usefixtures("aws")
def test_public_access_is_blocked_until_the_block_is_deleted() -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    found = s3.get_public_access_block(Bucket="one")["PublicAccessBlockConfiguration"]
    assert set(found.values()) == {True}
    assert len(found) == 4
    s3.delete_public_access_block(Bucket="one")
    code, _ = refusal(s3.get_public_access_block, Bucket="one")
    assert code == "NoSuchPublicAccessBlockConfiguration"


@pytest.mark.parametrize(
    ("given", "expected"),
    [({}, "BucketOwnerEnforced"), ({"ObjectOwnership": "ObjectWriter"}, "ObjectWriter")],
)
@pytest.mark.usefixtures("aws")
def test_object_ownership(given: dict[str, str], expected: str) -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one", **given)
    (rule,) = s3.get_bucket_ownership_controls(Bucket="one")["OwnershipControls"]["Rules"]
    assert rule == {"ObjectOwnership": expected}


def test_moto_alone_is_unchanged() -> None:
    import moto

    from clusterwright_localaws import local_aws

    with local_aws():
        client("s3").create_bucket(Bucket="one")
    with moto.mock_aws():
        client("s3").create_bucket(Bucket="one")
        assert refusal(client("s3").get_bucket_encryption, Bucket="one")[0] == (
            "ServerSideEncryptionConfigurationNotFoundError"
        )
