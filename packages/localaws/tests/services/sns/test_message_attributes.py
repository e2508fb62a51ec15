"""Tests of services.sns.message_attributes."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("a", {"DataType": "String"}, "must contain non-empty message attribute value"),
        ("a", {"DataType": "Text", "StringValue": "x"}, "invalid message attribute type"),
        ("a", {"DataType": "Number", "BinaryValue": b"x"}, "'Number' must use field 'String'"),
        ("a", {"DataType": "Binary", "StringValue": "x"}, "'Binary' must use field 'Binary'"),
        ("a", {"DataType": "Number", "StringValue": "abc"}, "'a' value to number"),
        ("a", {"DataType": "Number", "StringValue": "nan"}, "'a' value to number"),
        ("a", {"DataType": "Number", "StringValue": "1_000"}, "'a' value to number"),
        ("a^", {"DataType": "String", "StringValue": "x"}, "character '#x5E'"),
        (".a", {"DataType": "String", "StringValue": "x"}, "starting with character '.'"),
        ("a.", {"DataType": "String", "StringValue": "x"}, "ending with character '.'"),
        ("a..b", {"DataType": "String", "StringValue": "x"}, "successive '.'"),
        ("a" * 257, {"DataType": "String", "StringValue": "x"}, "less than 256 bytes"),
    ],
)
def test_attributes_of_messages(name: str, value: dict[str, Any], problem: str) -> None:
    attributes = {name: value}
    arn = client("sns").create_topic(Name="t")["TopicArn"]
    publish, batch = client("sns").publish, client("sns").publish_batch
    found = refusal(publish, TopicArn=arn, Message="m", MessageAttributes=attributes)
    assert found[0] == "ParameterValueInvalid"
    assert problem in found[1]
    entry = {"Id": "a", "Message": "m", "MessageAttributes": attributes}
    assert refusal(batch, TopicArn=arn, PublishBatchRequestEntries=[entry])[1] == found[1]
