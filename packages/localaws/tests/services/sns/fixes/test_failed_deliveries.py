"""Tests of services.sns.fixes.failed_deliveries."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.mark.usefixtures("aws")
def test_other_subscribers_have_the_message() -> None:
    sns, sqs = client("sns"), client("sqs")
    arn = sns.create_topic(Name="news")["TopicArn"]
    urls = {}
    for name in ("gone", "left"):
        urls[name] = sqs.create_queue(QueueName=name)["QueueUrl"]
        queue = f"arn:aws:sqs:us-east-1:123456789012:{name}"
        sns.subscribe(TopicArn=arn, Protocol="sqs", Endpoint=queue)
    sqs.delete_queue(QueueUrl=urls["gone"])
    assert sns.publish(TopicArn=arn, Message="m")["MessageId"]
    refused = refusal(sns.publish, TopicArn=arn, Message="m", MessageStructure="json")
    assert refused[0] == "InvalidParameter"
    assert len(sqs.receive_message(QueueUrl=urls["left"])["Messages"]) == 1
