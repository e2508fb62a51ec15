"""Tests of services.s3.fixes.upload_encryption."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from packages.localaws.tests.parts import client


@pytest.mark.usefixtures("aws")
def test_an_upload_names_the_encryption_of_its_bucket() -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    found = s3.create_multipart_upload(Bucket="one", Key="a")
    assert found["ServerSideEncryption"] == "AES256"
    key = client("kms").create_key()["KeyMetadata"]["Arn"]
    rule = {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": key}
    s3.put_bucket_encryption(
        Bucket="one",
        ServerSideEncryptionConfiguration={
            "Rules": [{"ApplyServerSideEncryptionByDefault": rule}]
        },
    )
    found = s3.create_multipart_upload(Bucket="one", Key="a")
    assert (found["ServerSideEncryption"], found["SSEKMSKeyId"]) == ("aws:kms", key)
    named = s3.create_multipart_upload(Bucket="one", Key="a", ServerSideEncryption="AES256")
    assert named["ServerSideEncryption"] == "AES256"


@pytest.mark.usefixtures("aws")
def test_parts_and_completions_name_it_too() -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    s3.put_object(Bucket="one", Key="source", Body=b"x")
    begun = {"Bucket": "one", "Key": "a"}
    begun["UploadId"] = s3.create_multipart_upload(**begun)["UploadId"]
    part = s3.upload_part(**begun, PartNumber=1, Body=b"x")
    assert part["ServerSideEncryption"] == "AES256"
    copied = s3.upload_part_copy(**begun, PartNumber=1, CopySource="one/source")
    assert copied["ServerSideEncryption"] == "AES256"
    parts = [{"ETag": part["ETag"], "PartNumber": 1}]
    done = s3.complete_multipart_upload(**begun, MultipartUpload={"Parts": parts})
    assert done["ServerSideEncryption"] == "AES256"


@pytest.mark.usefixtures("aws", "many_switches")
def test_concurrent_uploads_keep_their_own() -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    rule = {"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "aws:kms"}}
    s3.put_bucket_encryption(Bucket="one", ServerSideEncryptionConfiguration={"Rules": [rule]})

    def encryption(number: int) -> tuple[str, str]:
        named = {"ServerSideEncryption": "AES256"} if number % 2 else {}
        begun = {"Bucket": "one", "Key": str(number)}
        upload = s3.create_multipart_upload(**begun, **named)
        part = s3.upload_part(**begun, UploadId=upload["UploadId"], PartNumber=1, Body=b"x")
        return upload["ServerSideEncryption"], part["ServerSideEncryption"]

    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(encryption, range(60)))
    assert found == [("aws:kms",) * 2, ("AES256",) * 2] * 30


@pytest.mark.usefixtures("aws")
def test_an_upload_names_its_key_by_its_arn() -> None:
    s3, kms = client("s3"), client("kms")
    s3.create_bucket(Bucket="one")
    key = kms.create_key()["KeyMetadata"]
    kms.create_alias(AliasName="alias/mine", TargetKeyId=key["KeyId"])
    found = s3.create_multipart_upload(
        Bucket="one", Key="a", ServerSideEncryption="aws:kms", SSEKMSKeyId="alias/mine"
    )
    assert found["SSEKMSKeyId"] == key["Arn"]
