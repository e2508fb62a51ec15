"""Tests of services.s3.logging_and_replication."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from packages.localaws.tests.parts import client, refusal

VERSIONED = {"Status": "Enabled"}
ROLE = "arn:aws:iam::111122223333:role/replication"


@pytest.fixture
def s3(aws: Any) -> Any:
    found = client("s3")
    for name, region in (
        ("one", None),
        ("two", None),
        ("ohio", "us-east-2"),
        ("west", "us-west-2"),
    ):
        location = {"CreateBucketConfiguration": {"LocationConstraint": region}} if region else {}
        found.create_bucket(Bucket=name, **location)
    return found


def error(call: Any, **given: Any) -> dict[str, Any]:
    with pytest.raises(ClientError) as refused:
        call(**given)
    return dict(refused.value.response["Error"])


def to(name: str, **more: Any) -> Any:
    return {"LoggingEnabled": {"TargetBucket": name, "TargetPrefix": "log", **more}}


def test_logging_is_answered_as_it_was_put(s3: Any) -> None:
    grantee = {"Type": "Group", "URI": "http://acs.amazonaws.com/groups/s3/LogDelivery"}
    grants = [{"Grantee": grantee, "Permission": one} for one in ("WRITE", "READ_ACP")]
    for status in (to("two"), to("two", TargetGrants=grants), {}):
        s3.put_bucket_logging(Bucket="one", BucketLoggingStatus=status)
        found = s3.get_bucket_logging(Bucket="one")
        assert found.get("LoggingEnabled") == status.get("LoggingEnabled")


def test_targets_of_logs(s3: Any) -> None:
    found = error(s3.put_bucket_logging, Bucket="one", BucketLoggingStatus=to("none"))
    assert (found["Code"], found["TargetBucket"]) == ("InvalidTargetBucketForLogging", "none")
    found = error(s3.put_bucket_logging, Bucket="one", BucketLoggingStatus=to("west"))
    assert found["Code"] == "CrossLocationLoggingProhibitted"
    assert found["TargetBucketLocation"] == "us-west-2"
    assert "SourceBucketLocation" not in found
    found = error(s3.put_bucket_logging, Bucket="ohio", BucketLoggingStatus=to("west"))
    assert found["SourceBucketLocation"] == "us-east-2"


def replication(target: str, **rule: Any) -> Any:
    destination = {"Bucket": f"arn:aws:s3:::{target}", "StorageClass": "STANDARD"}
    listed = [{"Status": "Enabled", "Priority": 1, "Destination": destination, **rule}]
    return {"Role": ROLE, "Rules": listed}


def test_replication_is_answered_as_it_was_put(s3: Any) -> None:
    for name in ("one", "west"):
        s3.put_bucket_versioning(Bucket=name, VersioningConfiguration=VERSIONED)
    given = replication(
        "west", Filter={"Prefix": "Tax"}, DeleteMarkerReplication={"Status": "Enabled"}
    )
    s3.put_bucket_replication(Bucket="one", ReplicationConfiguration=given)
    found = s3.get_bucket_replication(Bucket="one")["ReplicationConfiguration"]
    (rule,) = found["Rules"]
    assert rule.pop("ID")
    assert found == given
    s3.delete_bucket_replication(Bucket="one")
    code, _ = refusal(s3.get_bucket_replication, Bucket="one")
    assert code == "ReplicationConfigurationNotFoundError"


def test_replication_that_is_refused(s3: Any) -> None:
    put = s3.put_bucket_replication
    given = replication("west")
    source = "Versioning must be 'Enabled' on the bucket to apply a replication configuration"
    assert refusal(put, Bucket="one", ReplicationConfiguration=given) == ("InvalidRequest", source)
    s3.put_bucket_versioning(Bucket="one", VersioningConfiguration=VERSIONED)
    target = ("InvalidRequest", "Destination bucket must have versioning enabled.")
    for name in ("west", "none"):
        assert refusal(put, Bucket="one", ReplicationConfiguration=replication(name)) == target
    empty = {"Role": ROLE, "Rules": []}
    assert refusal(put, Bucket="one", ReplicationConfiguration=empty)[0] == "MalformedXML"
