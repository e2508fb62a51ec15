"""Tests of services.s3.fixes.upload_encryption."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client


@pytest.mark.usefixtures("aws")
def test_an_upload_names_the_encryption_of_its_bucket() -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    found = s3.create_multipart_upload(Bucket="one", Key="a")
    assert found["ServerSideEncryption"] == "AES256"
    rule = {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": "key"}
    s3.put_bucket_encryption(
        Bucket="one",
        ServerSideEncryptionConfiguration={
            "Rules": [{"ApplyServerSideEncryptionByDefault": rule}]
        },
    )
    found = s3.create_multipart_upload(Bucket="one", Key="a")
    assert (found["ServerSideEncryption"], found["SSEKMSKeyId"]) == ("aws:kms", "key")
    named = s3.create_multipart_upload(Bucket="one", Key="a", ServerSideEncryption="AES256")
    assert named["ServerSideEncryption"] == "AES256"
