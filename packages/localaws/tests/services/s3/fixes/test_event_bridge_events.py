"""Tests of services.s3.fixes.event_bridge_events."""

from __future__ import annotations

import json
from typing import Any

import pytest

from packages.localaws.tests.parts import client

pytestmark = pytest.mark.usefixtures("aws")
QUEUE = "arn:aws:sqs:us-east-1:123456789012:events"
UNKNOWN = {"request-id", "requester", "source-ip-address", "version", "bucket"}


@pytest.fixture
def url(aws: Any) -> str:
    s3, events = client("s3"), client("events")
    s3.create_bucket(Bucket="one", ObjectOwnership="ObjectWriter")
    s3.delete_public_access_block(Bucket="one")
    s3.put_bucket_notification_configuration(
        Bucket="one", NotificationConfiguration={"EventBridgeConfiguration": {}}
    )
    found = client("sqs").create_queue(QueueName="events")["QueueUrl"]
    events.put_rule(Name="rule", EventPattern=json.dumps({"source": ["aws.s3"]}))
    events.put_targets(Rule="rule", Targets=[{"Id": "queue", "Arn": QUEUE}])
    return str(found)


def received(url: str) -> list[tuple[str, dict[str, Any]]]:
    """The kinds of events, and what their details have beside what every one has."""
    found = []
    ids = set()
    for one in client("sqs").receive_message(QueueUrl=url, MaxNumberOfMessages=10)["Messages"]:
        event = json.loads(one["Body"])
        ids.add(event["id"])
        detail = event["detail"]
        assert detail.keys() >= UNKNOWN
        assert detail["bucket"] == {"name": "one"}
        detail["object"].pop("sequencer", None)
        found.append(
            (
                event["detail-type"],
                {name: value for name, value in detail.items() if name not in UNKNOWN},
            )
        )
    assert len(ids) == len(found)
    return found


def test_objects(url: str) -> None:
    s3 = client("s3")
    etag = s3.put_object(Bucket="one", Key="a b", Body=b"data")["ETag"].strip('"')
    s3.put_object_acl(Bucket="one", Key="a b", ACL="private")  # changes nothing
    s3.put_object_acl(Bucket="one", Key="a b", ACL="public-read")
    s3.put_object_tagging(
        Bucket="one", Key="a b", Tagging={"TagSet": [{"Key": "a", "Value": "b"}]}
    )
    s3.delete_object(Bucket="one", Key="a b")
    plain = {"key": "a b", "etag": etag}
    assert received(url) == [
        ("Object Created", {"object": {**plain, "size": 4}, "reason": "PutObject"}),
        ("Object ACL Updated", {"object": plain}),
        ("Object Tags Added", {"object": plain}),
        (
            "Object Deleted",
            {
                "object": {"key": "a b"},
                "reason": "DeleteObject",
                "deletion-type": "Permanently Deleted",
            },
        ),
    ]


def test_versions(url: str) -> None:
    s3 = client("s3")
    s3.put_bucket_versioning(Bucket="one", VersioningConfiguration={"Status": "Enabled"})
    first = s3.put_object(Bucket="one", Key="a", Body=b"data")["VersionId"]
    marker = s3.delete_object(Bucket="one", Key="a")["VersionId"]
    s3.delete_object(Bucket="one", Key="a", VersionId=first)
    found = [
        (kind, detail["object"]["version-id"], detail.get("deletion-type"))
        for kind, detail in received(url)
    ]
    assert found == [
        ("Object Created", first, None),
        ("Object Deleted", marker, "Delete Marker Created"),
        ("Object Deleted", first, "Permanently Deleted"),
    ]


def test_restored_objects(url: str) -> None:
    s3 = client("s3")
    s3.put_object(Bucket="one", Key="a", Body=b"data", StorageClass="GLACIER")
    s3.restore_object(Bucket="one", Key="a", RestoreRequest={"Days": 1})
    kind, detail = received(url)[1]
    assert kind == "Object Restore Initiated"
    assert detail["source-storage-class"] == "GLACIER"
    assert detail["object"]["size"] == 4
