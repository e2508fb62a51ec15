"""Tests of services.sns.publishing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")

LARGEST = 262_144
NUMBER = {"n": {"DataType": "Number", "StringValue": "1"}}


def topic(**attributes: str) -> str:
    name = "t.fifo" if "FifoTopic" in attributes else "t"
    return str(client("sns").create_topic(Name=name, Attributes=attributes)["TopicArn"])


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ({"Message": ""}, "Empty message"),
        ({"Message": "m", "Subject": ""}, "Subject"),
        ({"Message": "m", "Subject": "s" * 101}, "Subject"),
        ({"Message": "m" * (LARGEST + 1)}, "Message too long"),
        ({"Message": "é" * (LARGEST // 2 + 1)}, "Message too long"),
        ({"Message": "m" * (LARGEST - 7), "MessageAttributes": NUMBER}, "Message too long"),
        (
            {"Message": "{", "MessageStructure": "json"},
            "Message Structure - JSON message body failed to parse",
        ),
        (
            {"Message": json.dumps({"sqs": "m"}), "MessageStructure": "json"},
            "Message Structure - No default entry in JSON message body",
        ),
        (
            {"Message": json.dumps({"default": {}}), "MessageStructure": "json"},
            "Message Structure - No default entry in JSON message body",
        ),
        (
            {"Message": "m", "MessageDeduplicationId": "d"},
            "MessageDeduplicationId Reason: The request includes MessageDeduplicationId parameter "
            "that is not valid for this topic type",
        ),
    ],
)
def test_messages_that_are_refused(message: dict[str, Any], problem: str) -> None:
    found = refusal(client("sns").publish, TopicArn=topic(), **message)
    assert found[:2] == ("InvalidParameter", f"Invalid parameter: {problem}")


def test_largest_message() -> None:
    publish = client("sns").publish
    assert publish(TopicArn=topic(), Message="m" * (LARGEST - 8), MessageAttributes=NUMBER)


def test_targets() -> None:
    publish = client("sns").publish
    arn = topic()
    assert publish(TargetArn=arn, Message="m")["MessageId"]
    assert refusal(publish, TopicArn=arn + "x", Message="m")[:2] == (
        "NotFound",
        "Topic does not exist",
    )
    for wrong, count in (("", 1), ("a:b", 2)):
        message = refusal(publish, TopicArn=wrong, Message="m")[1]
        assert message.endswith(f"must have at least 6 elements, not {count}")
    elsewhere = client("sns", "us-west-2").publish
    assert refusal(elsewhere, TopicArn=arn, Message="m")[1] == "Invalid parameter: TopicArn"
    endpoint = "arn:aws:sns:us-east-1:123456789012:endpoint/APNS/app/none"
    message = refusal(publish, TargetArn=endpoint, Message="m")[1]
    assert message.endswith("TargetArn Reason: No endpoint found for the target arn specified")
    message = refusal(publish, PhoneNumber="none", Message="m")[1]
    assert message == "Invalid parameter: PhoneNumber Reason: none is not valid to publish to"
    assert refusal(publish, Message="m")[0] == "InvalidParameter"


def test_an_endpoint_that_is_disabled_is_refused_before_the_message() -> None:
    sns = client("sns")
    application = sns.create_platform_application(
        Name="app", Platform="GCM", Attributes={"PlatformCredential": "none"}
    )["PlatformApplicationArn"]
    request = {"Message": "m", "MessageStructure": "json"}
    refused = {}
    for enabled in ("true", "false"):
        endpoint = sns.create_platform_endpoint(
            PlatformApplicationArn=application, Token=enabled, Attributes={"Enabled": enabled}
        )["EndpointArn"]
        refused[enabled] = refusal(sns.publish, TargetArn=endpoint, **request)[0]
    assert refused == {"true": "InvalidParameter", "false": "EndpointDisabled"}


def test_fifo_topic() -> None:
    publish, arn = client("sns").publish, topic(FifoTopic="true")
    message = refusal(publish, TopicArn=arn, Message="m")[1]
    assert message.endswith("The MessageGroupId parameter is required for FIFO topics")
    message = refusal(publish, TopicArn=arn, Message="m", MessageGroupId="g")[1]
    assert "ContentBasedDeduplication enabled or MessageDeduplicationId provided" in message
    publish(TopicArn=arn, Message="m", MessageGroupId="g", MessageDeduplicationId="d")


@pytest.mark.parametrize(
    ("entries", "code"),
    [
        ([], "EmptyBatchRequest"),
        ([{"Id": str(number), "Message": "m"} for number in range(11)], None),
        ([{"Id": "a", "Message": "m"}] * 2, "BatchEntryIdsNotDistinct"),
        ([{"Id": "a.b", "Message": "m"}], "InvalidBatchEntryId"),
        ([{"Id": "a" * 81, "Message": "m"}], "InvalidBatchEntryId"),
        (
            [{"Id": name, "Message": "m" * (LARGEST // 2 + 1)} for name in "ab"],
            "BatchRequestTooLong",
        ),
    ],
)
def test_batches_that_are_refused(entries: list[dict[str, str]], code: str | None) -> None:
    found = refusal(
        client("sns").publish_batch, TopicArn=topic(), PublishBatchRequestEntries=entries
    )
    assert found[0] == (code or "TooManyEntriesInBatchRequest")
