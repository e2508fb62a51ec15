"""Tests of services.s3.fixes.bucket_answers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.fixture
def s3(aws: Any) -> Any:
    found = client("s3")
    found.create_bucket(Bucket="one")
    return found


def test_a_bucket_that_is_not_empty(s3: Any) -> None:
    s3.put_object(Bucket="one", Key="a")
    short = "The bucket you tried to delete is not empty"
    assert refusal(s3.delete_bucket, Bucket="one") == ("BucketNotEmpty", short)
    s3.put_bucket_versioning(Bucket="one", VersioningConfiguration={"Status": "Enabled"})
    assert refusal(s3.delete_bucket, Bucket="one")[1] == (
        f"{short}. You must delete all versions in the bucket."
    )


def test_a_policy_is_put_without_content(s3: Any) -> None:
    statement = {
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:DeleteBucket",
        "Resource": "arn:aws:s3:::one",
    }
    policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    answer = s3.put_bucket_policy(Bucket="one", Policy=policy)
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 204
    assert s3.get_bucket_policy(Bucket="one")["Policy"] == policy


def test_the_days_of_a_lock(s3: Any) -> None:
    s3.create_bucket(Bucket="two", ObjectLockEnabledForBucket=True)
    rule = {"DefaultRetention": {"Mode": "GOVERNANCE", "Days": 1}}
    given = {"ObjectLockEnabled": "Enabled", "Rule": rule}
    s3.put_object_lock_configuration(Bucket="two", ObjectLockConfiguration=given)
    found = s3.get_object_lock_configuration(Bucket="two")["ObjectLockConfiguration"]
    assert found == given


def test_a_quiet_deletion(aws: Any) -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    listed = {"Objects": [{"Key": "a"}], "Quiet": True}
    assert "Deleted" not in s3.delete_objects(Bucket="one", Delete=listed)
    assert "Deleted" in s3.delete_objects(Bucket="one", Delete={**listed, "Quiet": False})
