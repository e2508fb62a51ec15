"""Tests of services.cloudwatch.alarm_actions."""

from __future__ import annotations

import json
import queue as queue_module
import threading
from collections.abc import Mapping
from typing import Any
from unittest.mock import Mock

import pytest

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.services.sns import http_endpoints
from packages.localaws.tests.parts import client
from packages.localaws.tests.services.cloudwatch.alarm_requests import alarm

pytestmark = pytest.mark.usefixtures("aws")

QUEUE = "arn:aws:sqs:us-east-1:123456789012:alarms"
_LONG_S = 60.0
"""Far more than any answer needs: only a deadlock waits for so long."""


ENDPOINT = "http://localhost/alarms"


def topic(name: str = "alarms") -> str:
    return str(client("sns").create_topic(Name=name)["TopicArn"])


def subscribe(arn: str, protocol: str, endpoint: str) -> None:
    client("sns").subscribe(TopicArn=arn, Protocol=protocol, Endpoint=endpoint)


def queue() -> str:
    return str(client("sqs").create_queue(QueueName="alarms")["QueueUrl"])


def subjects(url: str) -> list[str]:
    found = client("sqs").receive_message(QueueUrl=url, MaxNumberOfMessages=10)
    return [json.loads(each["Body"])["Subject"] for each in found.get("Messages", [])]


def ring(**more: Any) -> None:
    """Create an alarm with a composite one that follows it, and let both ring."""
    cloudwatch = client("cloudwatch")
    cloudwatch.put_metric_alarm(**alarm(AlarmName="one", **more))
    cloudwatch.put_composite_alarm(AlarmName="both", AlarmRule="ALARM(one)")
    cloudwatch.set_alarm_state(AlarmName="one", StateValue="ALARM", StateReason="test")
    found = cloudwatch.describe_alarms(AlarmTypes=["CompositeAlarm"])["CompositeAlarms"]
    assert [each["StateValue"] for each in found] == ["ALARM"]


def actions() -> list[str]:
    found = client("cloudwatch").describe_alarm_history(HistoryItemType="Action")
    return [each["HistorySummary"] for each in found["AlarmHistoryItems"]]


def confirmed_endpoint(arn: str) -> None:
    subscribe(arn, "http", ENDPOINT)
    backend = moto_state.backend("sns", "123456789012", "us-east-1")
    (made,) = (one for one in backend.subscriptions.values() if one.protocol == "http")
    client("sns").confirm_subscription(TopicArn=arn, Token=made.token)


def test_a_subscriber_may_call_the_local_aws(monkeypatch: pytest.MonkeyPatch) -> None:
    answered: queue_module.Queue[bool] = queue_module.Queue()
    sagemaker = client("sagemaker")

    def post(_url: Any, headers: Mapping[str, str], _body: bytes) -> None:
        """Call the local AWS before the endpoint answers, as a handler of its own process does."""
        if headers["x-amz-sns-message-type"] == "Notification":
            handler = threading.Thread(target=sagemaker.list_clusters, daemon=True)
            handler.start()
            handler.join(_LONG_S)
            answered.put(handler.is_alive())

    monkeypatch.setattr(http_endpoints, "_post", post)
    arn = topic()
    confirmed_endpoint(arn)
    ring(AlarmActions=[arn])
    # No handler waits for the lock.
    assert answered.get(timeout=_LONG_S) is False
    assert actions() == [f"Successfully executed action {arn}"]


@pytest.mark.parametrize("kind", ["queue", "endpoint"])
def test_a_delivery_that_fails_changes_nothing_else(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    arn, url = topic(), queue()
    if kind == "queue":
        other = client("sqs").create_queue(QueueName="gone")["QueueUrl"]
        subscribe(arn, "sqs", QUEUE.replace("alarms", "gone"))
        client("sqs").delete_queue(QueueUrl=other)
    else:
        monkeypatch.setattr(http_endpoints, "_post", Mock(side_effect=OSError("refused")))
        confirmed_endpoint(arn)
    subscribe(arn, "sqs", QUEUE)
    ring(AlarmActions=[arn])
    assert subjects(url) == ['ALARM: "one" in US East (N. Virginia)']
    assert actions() == [f"Successfully executed action {arn}"]


def test_a_topic_that_was_deleted() -> None:
    arn = topic()
    client("sns").delete_topic(TopicArn=arn)
    ring(AlarmActions=[arn, "arn:aws:sns:us-east-1"])
    assert sorted(actions()) == sorted(
        f"Failed to execute action {each}" for each in (arn, "arn:aws:sns:us-east-1")
    )


def test_a_topic_of_another_account_but_not_of_another_region() -> None:
    client("sns").list_topics()
    here = moto_state.backend("sns", "210987654321", "us-east-1").create_topic("here")
    there = moto_state.backend("sns", "210987654321", "us-west-2").create_topic("there")
    ring(AlarmActions=[here.arn, there.arn])
    assert [len(each.sent_notifications) for each in (here, there)] == [1, 0]
    assert sorted(actions()) == [
        f"Failed to execute action {there.arn}",
        f"Successfully executed action {here.arn}",
    ]


def test_a_state_that_is_found_when_alarms_are_described() -> None:
    arn, url = topic(), queue()
    subscribe(arn, "sqs", QUEUE)
    cloudwatch = client("cloudwatch")
    cloudwatch.put_metric_alarm(
        **alarm(AlarmName="one", TreatMissingData="breaching", AlarmActions=[arn])
    )
    (found,) = cloudwatch.describe_alarms()["MetricAlarms"]
    assert found["StateValue"] == "ALARM"
    assert [each.split(":")[0] for each in subjects(url)] == ["ALARM"]
