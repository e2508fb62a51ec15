"""Tests of services.s3.expected_owners."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

ACCOUNT = "123456789012"
OTHER = "111122223333"


@pytest.fixture
def s3(aws: Any) -> Any:
    found = client("s3")
    found.create_bucket(Bucket="one")
    found.put_object(Bucket="one", Key="a", ExpectedBucketOwner=ACCOUNT)
    return found


@pytest.mark.parametrize("owner", ["0000", "0000000000020", "abcd", "aa000000000$", ""])
def test_owners_that_are_no_accounts(s3: Any, owner: str) -> None:
    found = refusal(s3.get_bucket_policy, Bucket="one", ExpectedBucketOwner=owner)
    assert found == (
        "InvalidBucketOwnerAWSAccountID",
        f"The value of the expected bucket owner parameter must be an AWS Account ID... [{owner}]",
    )


def test_other_owners(s3: Any) -> None:
    denied = ("AccessDenied", "Access Denied")
    assert refusal(s3.delete_bucket_policy, Bucket="one", ExpectedBucketOwner=OTHER) == denied
    assert refusal(s3.put_object, Bucket="one", Key="a", ExpectedBucketOwner=OTHER) == denied
    copied = {"Bucket": "one", "Key": "b", "CopySource": "one/a"}
    assert refusal(s3.copy_object, **copied, ExpectedSourceBucketOwner=OTHER) == denied
    s3.copy_object(**copied, ExpectedSourceBucketOwner=ACCOUNT)
    code, _ = refusal(s3.get_bucket_policy, Bucket="two", ExpectedBucketOwner=OTHER)
    assert code == "NoSuchBucket"
