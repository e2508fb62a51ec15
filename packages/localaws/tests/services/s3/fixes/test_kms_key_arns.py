"""Tests of services.s3.fixes.kms_key_arns."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.fixture
def s3(aws: Any) -> Any:
    found = client("s3")
    found.create_bucket(Bucket="one")
    return found


def test_the_key_is_answered_by_its_arn(s3: Any) -> None:
    kms = client("kms")
    key = kms.create_key()["KeyMetadata"]
    kms.create_alias(AliasName="alias/mine", TargetKeyId=key["KeyId"])
    alias = key["Arn"].split(":key/")[0] + ":alias/mine"
    for named in (key["KeyId"], key["Arn"], "alias/mine", alias):
        answer = s3.put_object(
            Bucket="one", Key="a", ServerSideEncryption="aws:kms", SSEKMSKeyId=named
        )
        assert answer["SSEKMSKeyId"] == key["Arn"]
        assert "BucketKeyEnabled" not in answer
        assert s3.head_object(Bucket="one", Key="a")["SSEKMSKeyId"] == key["Arn"]


def test_a_bucket_that_names_no_key_uses_the_one_of_aws(s3: Any) -> None:
    rule = {
        "ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "aws:kms"},
        "BucketKeyEnabled": True,
    }
    s3.put_bucket_encryption(Bucket="one", ServerSideEncryptionConfiguration={"Rules": [rule]})
    answer = s3.put_object(Bucket="one", Key="a")
    assert answer["BucketKeyEnabled"]
    found = client("kms").describe_key(KeyId="alias/aws/s3")["KeyMetadata"]
    assert answer["SSEKMSKeyId"] == found["Arn"]


def test_an_alias_elsewhere_is_not_one_of_the_bucket(s3: Any) -> None:
    kms = client("kms")
    key = kms.create_key()["KeyMetadata"]
    kms.create_alias(AliasName="alias/mine", TargetKeyId=key["KeyId"])
    west = client("kms", "us-west-2")
    other = west.create_key()["KeyMetadata"]["KeyId"]
    west.create_alias(AliasName="alias/mine", TargetKeyId=other)
    account = key["Arn"].split(":")[4]
    named = {"Bucket": "one", "Key": "a", "ServerSideEncryption": "aws:kms"}
    found = refusal(
        s3.put_object, **named, SSEKMSKeyId=f"arn:aws:kms:us-west-2:{account}:alias/mine"
    )
    assert found == ("KMS.NotFoundException", "Invalid arn us-west-2")
    for place in ("us-west-2:999999999999", "us-east-1:999999999999"):
        alias = f"arn:aws:kms:{place}:alias/mine"
        answer = s3.put_object(
            Bucket="one", Key="a", ServerSideEncryption="aws:kms", SSEKMSKeyId=alias
        )
        assert answer["SSEKMSKeyId"] == alias
