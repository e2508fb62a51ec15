"""Tests of services.s3.fixes.notification_filters."""

from __future__ import annotations

from typing import Any

import boto3
import pytest
from botocore.config import Config

from packages.localaws.tests.parts import REGION, client


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize("names", [("prefix", "suffix"), ("Prefix", "SUFFIX")])
def test_names_of_filters_have_no_case(names: tuple[str, str]) -> None:
    s3 = boto3.client("s3", REGION, config=Config(parameter_validation=False))
    s3.create_bucket(Bucket="one")
    sqs = client("sqs")
    url = sqs.create_queue(QueueName="q")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])
    rules: Any = [{"Name": names[0], "Value": "a"}, {"Name": names[1], "Value": "z"}]
    queue: Any = {
        "QueueArn": arn["Attributes"]["QueueArn"],
        "Events": ["s3:ObjectCreated:*"],
        "Filter": {"Key": {"FilterRules": rules}},
    }
    s3.put_bucket_notification_configuration(
        Bucket="one", NotificationConfiguration={"QueueConfigurations": [queue]}
    )
    found = s3.get_bucket_notification_configuration(Bucket="one")["QueueConfigurations"]
    kept = found[0]["Filter"]["Key"]["FilterRules"]
    assert [one["Name"] for one in kept] == ["Prefix", "Suffix"]
    sqs.purge_queue(QueueUrl=url)
    s3.put_object(Bucket="one", Key="a.z", Body=b"text")
    s3.put_object(Bucket="one", Key="b.z", Body=b"text")
    received = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)["Messages"]
    assert ["a.z" in one["Body"] for one in received] == [True]


@pytest.mark.usefixtures("aws")
def test_empty_values() -> None:
    s3, sqs = client("s3"), client("sqs")
    s3.create_bucket(Bucket="one")
    url = sqs.create_queue(QueueName="q")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])
    rules = [{"Name": "Suffix", "Value": ""}]
    queue = {
        "QueueArn": arn["Attributes"]["QueueArn"],
        "Events": ["s3:ObjectCreated:*"],
        "Filter": {"Key": {"FilterRules": rules}},
    }
    s3.put_bucket_notification_configuration(
        Bucket="one", NotificationConfiguration={"QueueConfigurations": [queue]}
    )
    (found,) = s3.get_bucket_notification_configuration(Bucket="one")["QueueConfigurations"]
    assert found["Filter"]["Key"]["FilterRules"] == rules
