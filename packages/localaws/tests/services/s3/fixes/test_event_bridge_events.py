"""Tests of services.s3.fixes.event_bridge_events."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clusterwright_localaws.core.runtime import Runtime
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


def received(url: str, *, once: bool = True) -> list[tuple[str, dict[str, Any]]]:
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
    assert len(ids) == len(found) or not once
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


def test_a_target_that_fails_alone(url: str, aws: Runtime) -> None:
    """Neither the write nor the delivery to other targets fails with it."""
    s3, events, said = client("s3"), client("events"), list[str]()
    missing = (
        "arn:aws:lambda:us-east-1:123456789012:function:f",
        "arn:aws:sns:us-east-1:123456789012:t",
        "arn:aws:sqs:us-east-1:123456789012:missing",
        "arn:aws:logs:us-east-1:123456789012:log-group:missing",
        "arn:aws:events:us-east-1:123456789012:event-bus/missing",
    )
    events.put_rule(Name="another", EventPattern=json.dumps({"source": ["aws.s3"]}))
    targets = [{"Id": str(number), "Arn": arn} for number, arn in enumerate(missing)]
    events.put_targets(Rule="another", Targets=[*targets, {"Id": "last", "Arn": QUEUE}])
    aws.log = said.append
    s3.put_object(Bucket="one", Key="a", Body=b"data")
    s3.delete_object(Bucket="one", Key="a")
    aws.log = None
    kinds = [kind for kind, _ in received(url, once=False)]
    assert kinds == ["Object Created"] * 2 + ["Object Deleted"] * 2
    assert [arn for text in said for arn in missing if arn in text] == list(missing)
    assert len(said) == len(missing)
    assert all("EventBridge: no delivery" in text for text in said)


def test_a_disabled_rule(url: str) -> None:
    events = client("events")
    for number in ("1", "2"):
        client("s3").put_object(Bucket="one", Key=number, Body=b"data")
        events.disable_rule(Name="rule")
    assert [detail["object"]["key"] for _, detail in received(url)] == ["1"]


def test_archives(url: str) -> None:
    events = client("events")
    bus = "arn:aws:events:us-east-1:123456789012:event-bus/default"
    events.create_archive(ArchiveName="all", EventSourceArn=bus)
    client("s3").put_object(Bucket="one", Key="a", Body=b"data")
    client("s3").delete_object(Bucket="one", Key="a")
    assert events.describe_archive(ArchiveName="all")["EventCount"] == 2
    assert len(received(url)) == 2
