"""Tests of services.sqs.alarms."""

from __future__ import annotations

import json

import pytest

from packages.localaws.tests.parts import client
from packages.localaws.tests.services.cloudwatch.alarm_requests import alarm


@pytest.mark.usefixtures("aws")
def test_a_queue_gets_the_message_of_an_alarm_that_nobody_described() -> None:
    sqs, sns = client("sqs"), client("sns")
    url = sqs.create_queue(QueueName="alarms")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])
    topic = sns.create_topic(Name="alarms")["TopicArn"]
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=arn["Attributes"]["QueueArn"])
    assert "Messages" not in sqs.receive_message(QueueUrl=url)
    client("cloudwatch").put_metric_alarm(
        **alarm(AlarmName="one", TreatMissingData="breaching", AlarmActions=[topic])
    )
    (message,) = sqs.receive_message(QueueUrl=url)["Messages"]
    found = json.loads(json.loads(message["Body"])["Message"])
    assert (found["AlarmName"], found["NewStateValue"]) == ("one", "ALARM")
