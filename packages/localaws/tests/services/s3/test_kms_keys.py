"""Tests of services.s3.kms_keys."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

UUID = "134f2428-cec1-4b25-a1ae-9048164dba47"
PREFIX = "arn:aws:kms:us-east-1:123456789012:key"


@pytest.fixture
def s3(aws: Any) -> Any:
    found = client("s3")
    found.create_bucket(Bucket="one")
    return found


def encrypted(key_id: str) -> dict[str, str]:
    return {"Bucket": "one", "Key": "a", "ServerSideEncryption": "aws:kms", "SSEKMSKeyId": key_id}


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ("fake-key-id", "Invalid keyId 'fake-key-id'"),
        (UUID, f"Key '{PREFIX}/{UUID}' does not exist"),
        (f"{PREFIX}/{UUID}", f"Key '{PREFIX}/{UUID}' does not exist"),
        (f"{PREFIX}/{UUID}".replace("us-east-1", "us-west-2"), "Invalid arn us-west-2"),
    ],
)
def test_key_that_does_not_exist(s3: Any, named: str, message: str) -> None:
    """Recorded on AWS."""
    account = client("sts").get_caller_identity()["Account"]
    named, message = (text.replace("123456789012", account) for text in (named, message))
    s3.put_object(Bucket="one", Key="source", Body=b"a")
    expected = ("KMS.NotFoundException", message)
    assert refusal(s3.put_object, **encrypted(named)) == expected
    assert refusal(s3.create_multipart_upload, **encrypted(named)) == expected
    assert refusal(s3.copy_object, CopySource="one/source", **encrypted(named)) == expected


def test_key_that_is_not_enabled(s3: Any) -> None:
    """Recorded on AWS, also that a read is refused."""
    kms = client("kms")
    key = kms.create_key()["KeyMetadata"]
    assert s3.put_object(**encrypted(key["KeyId"]))["SSEKMSKeyId"] == key["Arn"]
    kms.disable_key(KeyId=key["KeyId"])
    disabled = ("KMS.DisabledException", f"{key['Arn']} is disabled.")
    assert refusal(s3.put_object, **encrypted(key["KeyId"])) == disabled
    assert refusal(s3.get_object, Bucket="one", Key="a") == disabled
    s3.head_object(Bucket="one", Key="a")
    kms.schedule_key_deletion(KeyId=key["KeyId"])
    found = refusal(s3.get_object, Bucket="one", Key="a")
    assert found == ("KMS.KMSInvalidStateException", f"{key['Arn']} is pending deletion.")


def test_key_of_the_bucket_s_default_encryption(s3: Any) -> None:
    kms = client("kms")
    key = kms.create_key()["KeyMetadata"]
    rule = {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": key["Arn"]}
    s3.put_bucket_encryption(
        Bucket="one",
        ServerSideEncryptionConfiguration={
            "Rules": [{"ApplyServerSideEncryptionByDefault": rule}]
        },
    )
    s3.put_object(Bucket="one", Key="a", Body=b"a")
    kms.disable_key(KeyId=key["KeyId"])
    assert refusal(s3.put_object, Bucket="one", Key="b", Body=b"b")[0] == "KMS.DisabledException"


def test_keys_that_are_not_judged(s3: Any) -> None:
    """The key that AWS manages is created with its first use; other accounts are not known."""
    s3.put_object(**encrypted("alias/aws/s3"))
    s3.put_object(**encrypted(f"arn:aws:kms:us-east-1:999988887777:key/{UUID}"))
    s3.put_object(Bucket="one", Key="a", Body=b"a", ServerSideEncryption="aws:kms")
    assert s3.get_object(Bucket="one", Key="a")["Body"].read() == b"a"
