"""Tests of services.s3.bucket_settings."""

from __future__ import annotations

from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from packages.localaws.tests.parts import REGION, client, refusal


@pytest.fixture
def s3(aws: Any) -> Any:
    """A client that sends what it is given, and a bucket."""
    found = boto3.client("s3", REGION, config=Config(parameter_validation=False))
    found.create_bucket(Bucket="one")
    return found


def _lock(**given: Any) -> dict[str, Any]:
    return {"ObjectLockConfiguration": given}


def test_refusals_name_the_bucket(s3: Any) -> None:
    s3.delete_public_access_block(Bucket="one")
    for operation in (s3.get_public_access_block, s3.get_object_lock_configuration):
        with pytest.raises(ClientError) as refused:
            operation(Bucket="one")
        error: Any = refused.value.response["Error"]
        assert error["BucketName"] == "one"


def test_versioning(s3: Any) -> None:
    assert refusal(s3.put_bucket_versioning, Bucket="one", VersioningConfiguration={}) == (
        "IllegalVersioningConfigurationException",
        "The Versioning element must be specified",
    )
    s3.create_bucket(Bucket="two", ObjectLockEnabledForBucket=True)
    suspended = {"VersioningConfiguration": {"Status": "Suspended"}}
    assert refusal(s3.put_bucket_versioning, Bucket="two", **suspended)[0] == "InvalidBucketState"
    s3.put_bucket_versioning(Bucket="two", VersioningConfiguration={"Status": "Enabled"})
    assert refusal(s3.put_bucket_versioning, Bucket="none", **suspended)[0] == "NoSuchBucket"


def test_encryption(s3: Any) -> None:
    def rules(*defaults: dict[str, str]) -> dict[str, Any]:
        listed = [{"ApplyServerSideEncryptionByDefault": default} for default in defaults]
        return {"Bucket": "one", "ServerSideEncryptionConfiguration": {"Rules": listed}}

    plain = {"SSEAlgorithm": "AES256"}
    put = s3.put_bucket_encryption
    assert refusal(put, **rules())[0] == "MalformedXML"
    assert refusal(put, **rules(plain, plain))[0] == "MalformedXML"
    assert refusal(put, **rules({**plain, "KMSMasterKeyID": "key"}))[0] == "InvalidArgument"
    put(**rules(plain))
    assert refusal(put, **{**rules(plain, plain), "Bucket": "none"})[0] == "NoSuchBucket"


def test_ownership(s3: Any) -> None:
    rules = {"Rules": [{"ObjectOwnership": "ObjectWriter"}] * 2}
    request = {"Bucket": "one", "OwnershipControls": rules}
    assert refusal(s3.put_bucket_ownership_controls, **request)[0] == "MalformedXML"


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"Rule": {"DefaultRetention": {"Mode": "GOVERNANCE", "Days": 1}}},
        {"ObjectLockEnabled": "Enabled", "Rule": {}},
        {"ObjectLockEnabled": "Enabled", "Rule": {"DefaultRetention": {"Mode": "GOVERNANCE"}}},
        {
            "ObjectLockEnabled": "Enabled",
            "Rule": {"DefaultRetention": {"Mode": "GOVERNANCE", "Days": 1, "Years": 1}},
        },
    ],
)
def test_malformed_locks(s3: Any, given: dict[str, Any]) -> None:
    s3.create_bucket(Bucket="two", ObjectLockEnabledForBucket=True)
    put = s3.put_object_lock_configuration
    assert refusal(put, Bucket="two", **_lock(**given))[0] == "MalformedXML"


def test_a_lock_needs_versions(s3: Any) -> None:
    request = {"Bucket": "one", **_lock(ObjectLockEnabled="Enabled")}
    put = s3.put_object_lock_configuration
    assert refusal(put, **request)[0] == "InvalidBucketState"
    for status in ("Suspended", "Enabled"):
        s3.put_bucket_versioning(Bucket="one", VersioningConfiguration={"Status": status})
        if status == "Suspended":
            assert refusal(put, **request)[0] == "InvalidBucketState"
    put(**request)
    found = s3.get_object_lock_configuration(Bucket="one")["ObjectLockConfiguration"]
    assert found == {"ObjectLockEnabled": "Enabled"}


def test_a_lock_of_a_bucket_with_objects(s3: Any) -> None:
    s3.put_bucket_versioning(Bucket="one", VersioningConfiguration={"Status": "Enabled"})
    s3.put_object(Bucket="one", Key="a", Body=b"text")
    rule = {"DefaultRetention": {"Mode": "GOVERNANCE", "Days": 3}}
    for rules in ({"Rule": rule}, {}):
        given = _lock(ObjectLockEnabled="Enabled", **rules)
        s3.put_object_lock_configuration(Bucket="one", **given)
        found = s3.get_object_lock_configuration(Bucket="one")["ObjectLockConfiguration"]
        assert found["ObjectLockEnabled"] == "Enabled"
        assert ("Rule" in found) == ("Rule" in rules)
    s3.put_object_lock_configuration(Bucket="one", **_lock(ObjectLockEnabled="Enabled", Rule=rule))
    s3.put_object(Bucket="one", Key="a", Body=b"text")
    assert s3.head_object(Bucket="one", Key="a")["ObjectLockMode"] == "GOVERNANCE"


def test_rules_of_notifications(s3: Any) -> None:
    queue = {
        "QueueArn": "arn:aws:sqs:us-east-1:123456789012:q",
        "Events": ["s3:ObjectCreated:*"],
    }
    for rule in ({}, {"Name": "prefix"}, {"Value": "a"}):
        one = {**queue, "Filter": {"Key": {"FilterRules": [rule]}}}
        given = {"NotificationConfiguration": {"QueueConfigurations": [one]}}
        put = s3.put_bucket_notification_configuration
        assert refusal(put, Bucket="one", **given)[0] == "MalformedXML"


def test_who_pays(aws: Any) -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    assert s3.get_bucket_request_payment(Bucket="one")["Payer"] == "BucketOwner"
    given = {"RequestPaymentConfiguration": {"Payer": "Requester"}}
    s3.put_bucket_request_payment(Bucket="one", **given)
    assert s3.get_bucket_request_payment(Bucket="one")["Payer"] == "Requester"
    assert refusal(s3.put_bucket_request_payment, Bucket="two", **given)[0] == "NoSuchBucket"
