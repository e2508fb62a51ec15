"""Tests of services.s3.fixes.event_records."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from botocore.exceptions import ClientError

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")

QUEUE = "arn:aws:sqs:us-east-1:123456789012:events"


def notify(bucket: str, *kinds: str) -> str:
    url = client("sqs").create_queue(QueueName="events")["QueueUrl"]
    client("s3").create_bucket(Bucket=bucket)
    put(bucket, [QUEUE], *kinds)
    client("sqs").purge_queue(QueueUrl=url)
    return str(url)


def put(bucket: str, arns: Sequence[str], *kinds: str, **more: Any) -> Any:
    names = ["s3:ObjectCreated:*", "s3:ObjectRemoved:*", *kinds]
    queues = [{"QueueArn": arn, "Events": names} for arn in arns]
    return client("s3").put_bucket_notification_configuration(
        Bucket=bucket, NotificationConfiguration={"QueueConfigurations": queues}, **more
    )


def events(url: str) -> list[dict[str, Any]]:
    found = client("sqs").receive_message(QueueUrl=url, MaxNumberOfMessages=10)
    return [json.loads(one["Body"])["Records"][0] for one in found.get("Messages", [])]


def test_members_of_an_event() -> None:
    url = notify("bucket-1")
    client("s3").put_object(Bucket="bucket-1", Key="a/b c@d", Body=b"x")
    (event,) = events(url)
    assert list(event) == [
        "eventVersion",
        "eventSource",
        "awsRegion",
        "eventTime",
        "eventName",
        "userIdentity",
        "requestParameters",
        "responseElements",
        "s3",
    ]
    assert event["eventVersion"] == "2.1"
    assert list(event["s3"]["bucket"]) == ["name", "ownerIdentity", "arn"]
    found = event["s3"]["object"]
    assert found.pop("sequencer")
    assert found == {
        "key": "a/b+c%40d",
        "size": 1,
        "eTag": "9dd4e461268c8034f5c8564e155c67a6",
    }


def test_completed_uploads_are_reported_once() -> None:
    s3, url = client("s3"), notify("bucket-1")
    place = {"Bucket": "bucket-1", "Key": "k"}
    upload = s3.create_multipart_upload(**place)["UploadId"]
    part = s3.upload_part(**place, UploadId=upload, PartNumber=1, Body=b"x")["ETag"]
    s3.complete_multipart_upload(
        **place, UploadId=upload, MultipartUpload={"Parts": [{"PartNumber": 1, "ETag": part}]}
    )
    assert [one["eventName"] for one in events(url)] == ["ObjectCreated:CompleteMultipartUpload"]


def test_removals_without_versions() -> None:
    s3, url = client("s3"), notify("bucket-1")
    s3.put_object(Bucket="bucket-1", Key="k")
    s3.delete_objects(Bucket="bucket-1", Delete={"Objects": [{"Key": "k"}, {"Key": "none"}]})
    removed = events(url)[1:]
    assert [one["eventName"] for one in removed] == ["ObjectRemoved:Delete"] * 2
    assert [list(one["s3"]["object"]) for one in removed] == [["key", "sequencer"]] * 2


def test_versions_and_delete_markers() -> None:
    s3, url = client("s3"), notify("bucket-1")
    enabled = {"Status": "Enabled"}
    s3.put_bucket_versioning(Bucket="bucket-1", VersioningConfiguration=enabled)
    first = s3.put_object(Bucket="bucket-1", Key="k")["VersionId"]
    marker = s3.delete_object(Bucket="bucket-1", Key="k")["VersionId"]
    s3.delete_object(Bucket="bucket-1", Key="k", VersionId=first)
    found = [(one["eventName"], one["s3"]["object"]) for one in events(url)]
    assert [(name, one["versionId"], "eTag" in one, "size" in one) for name, one in found] == [
        ("ObjectCreated:Put", first, True, True),
        ("ObjectRemoved:DeleteMarkerCreated", marker, True, False),
        ("ObjectRemoved:Delete", first, False, False),
    ]


def test_settings_of_objects() -> None:
    s3, url = client("s3"), notify("bucket-1", "s3:ObjectTagging:*")
    s3.put_object(Bucket="bucket-1", Key="k")
    s3.put_object_tagging(
        Bucket="bucket-1", Key="k", Tagging={"TagSet": [{"Key": "a", "Value": "b"}]}
    )
    event = events(url)[1]
    assert (event["eventName"], event["eventVersion"]) == ("ObjectTagging:Put", "2.3")
    assert list(event["s3"]["object"]) == ["key", "eTag"]


def test_destinations_that_are_refused() -> None:
    client("s3").create_bucket(Bucket="bucket-1")
    found = refusal(put, bucket="bucket-1", arns=["none", "none-2"])
    assert found[:2] == ("InvalidArgument", "The ARN could not be parsed")
    found = refusal(put, bucket="bucket-1", arns=[QUEUE])
    assert found[1] == "Unable to validate the following destination configurations"
    put("bucket-1", [QUEUE], SkipDestinationValidation=True)


@pytest.mark.parametrize(
    ("kind", "arn", "name", "value"),
    [
        (
            "Topic",
            "arn:aws:sns:us-east-1:123456789012:none",
            "arn:aws:sns:us-east-1:123456789012:none",
            "The destination topic does not exist",
        ),
        (
            "LambdaFunction",
            "arn:aws:lambda:us-east-1:123456789012:function:none",
            "arn:aws:lambda:us-east-1:123456789012:function:none, null",
            "Not authorized to invoke function "
            "[arn:aws:lambda:us-east-1:123456789012:function:none]",
        ),
    ],
)
def test_topics_and_functions_that_do_not_exist(
    kind: str, arn: str, name: str, value: str
) -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="one")
    one = {f"{kind}Arn": arn, "Events": ["s3:ObjectCreated:*"], "Id": "a"}
    given = {"Bucket": "one", "NotificationConfiguration": {f"{kind}Configurations": [one]}}
    with pytest.raises(ClientError) as refused:
        s3.put_bucket_notification_configuration(**given)
    error = refused.value.response["Error"]
    assert (error["Code"], error["ArgumentName1"]) == ("InvalidArgument", name)
    assert error["ArgumentValue1"] == value
    s3.put_bucket_notification_configuration(**given, SkipDestinationValidation=True)
    found = s3.get_bucket_notification_configuration(Bucket="one")
    assert found[f"{kind}Configurations"] == [one]


def test_messages_to_topics_have_a_subject() -> None:
    sns, sqs, s3 = client("sns"), client("sqs"), client("s3")
    topic = sns.create_topic(Name="topic")["TopicArn"]
    url = sqs.create_queue(QueueName="events")["QueueUrl"]
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=QUEUE)
    s3.create_bucket(Bucket="one")
    one = {"TopicArn": topic, "Events": ["s3:ObjectCreated:*"]}
    s3.put_bucket_notification_configuration(
        Bucket="one", NotificationConfiguration={"TopicConfigurations": [one]}
    )
    s3.put_object(Bucket="one", Key="a")
    found = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)["Messages"]
    messages = [json.loads(each["Body"]) for each in found]
    assert {each["Subject"] for each in messages} == {"Amazon S3 Notification"}
    assert "ObjectCreated:Put" in messages[-1]["Message"]
