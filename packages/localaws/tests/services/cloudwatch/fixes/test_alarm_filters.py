"""Tests of services.cloudwatch.fixes.alarm_filters."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client
from packages.localaws.tests.services.cloudwatch.alarm_requests import alarm

TOPIC = "arn:aws:sns:us-east-1:123456789012:alarms"


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ({}, ["one", "other"]),
        ({"AlarmNames": ["one", "other"], "StateValue": "ALARM"}, ["one"]),
        ({"AlarmNamePrefix": "o", "StateValue": "INSUFFICIENT_DATA"}, ["other"]),
        ({"ActionPrefix": TOPIC[:20]}, ["other"]),
        ({"AlarmTypes": ["CompositeAlarm"]}, []),
    ],
)
def test_all_filters_apply(asked: dict[str, Any], names: list[str]) -> None:
    cloudwatch = client("cloudwatch")
    cloudwatch.put_metric_alarm(**alarm(AlarmName="one"))
    cloudwatch.put_metric_alarm(**alarm(AlarmName="other", OKActions=[TOPIC]))
    cloudwatch.set_alarm_state(AlarmName="one", StateValue="ALARM", StateReason="test")
    found = cloudwatch.describe_alarms(**asked)["MetricAlarms"]
    assert [each["AlarmName"] for each in found] == names
