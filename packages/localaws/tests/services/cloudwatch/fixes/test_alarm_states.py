"""Tests of services.cloudwatch.fixes.alarm_states."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client


@pytest.mark.usefixtures("aws")
def test_new_alarm_has_insufficient_data_and_a_changed_one_its_state() -> None:
    cloudwatch = client("cloudwatch")

    def put(threshold: float) -> str:
        cloudwatch.put_metric_alarm(
            AlarmName="a",
            Namespace="N",
            MetricName="m",
            Statistic="Average",
            Period=60,
            EvaluationPeriods=1,
            Threshold=threshold,
            ComparisonOperator="GreaterThanThreshold",
        )
        (found,) = cloudwatch.describe_alarms(AlarmNames=["a"])["MetricAlarms"]
        return str(found["StateValue"])

    assert put(1.0) == "INSUFFICIENT_DATA"
    cloudwatch.set_alarm_state(AlarmName="a", StateValue="ALARM", StateReason="test")
    assert put(2.0) == "ALARM"
