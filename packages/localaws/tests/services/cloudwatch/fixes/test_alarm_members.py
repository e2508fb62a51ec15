"""Tests of services.cloudwatch.fixes.alarm_members."""

from __future__ import annotations

import json
from typing import Any

import pytest

from packages.localaws.tests.parts import client

ALARM: dict[str, Any] = {
    "AlarmName": "a",
    "EvaluationPeriods": 1,
    "Threshold": 1.0,
    "ComparisonOperator": "GreaterThanThreshold",
}
METRIC: dict[str, Any] = {"Namespace": "N", "MetricName": "m"}


def described() -> Any:
    (alarm,) = client("cloudwatch").describe_alarms(AlarmNames=["a"])["MetricAlarms"]
    return alarm


@pytest.mark.usefixtures("aws")
def test_members_of_an_alarm_before_and_after_a_transition() -> None:
    cloudwatch = client("cloudwatch")
    cloudwatch.put_metric_alarm(**ALARM, **METRIC, Statistic="Average", Period=60)
    new = described()
    assert not {"Metrics", "StateReasonData"} & new.keys()
    data = json.dumps({"x": 1})
    cloudwatch.set_alarm_state(
        AlarmName="a", StateValue="ALARM", StateReason="test", StateReasonData=data
    )
    changed = described()
    assert changed["StateReasonData"] == data
    assert changed["StateTransitionedTimestamp"] >= new["StateTransitionedTimestamp"]
    cloudwatch.set_alarm_state(AlarmName="a", StateValue="ALARM", StateReason="again")
    again = described()
    assert again["StateTransitionedTimestamp"] == changed["StateTransitionedTimestamp"]


@pytest.mark.usefixtures("aws")
def test_metrics_of_an_alarm_on_an_expression() -> None:
    queries = [
        {
            "Id": "m1",
            "MetricStat": {"Metric": METRIC, "Period": 60, "Stat": "Sum"},
            "ReturnData": False,
        },
        {"Id": "e", "Expression": "m1 * 2", "ReturnData": True},
    ]
    client("cloudwatch").put_metric_alarm(**ALARM, Metrics=queries)
    assert [query["Id"] for query in described()["Metrics"]] == ["m1", "e"]


@pytest.mark.usefixtures("aws")
def test_change_of_an_alarm_is_no_transition() -> None:
    cloudwatch = client("cloudwatch")
    asked = {**ALARM, **METRIC, "Statistic": "Average", "Period": 60}
    cloudwatch.put_metric_alarm(**asked)
    cloudwatch.set_alarm_state(AlarmName="a", StateValue="ALARM", StateReason="test")
    before = described()
    cloudwatch.put_metric_alarm(**{**asked, "Threshold": 2.0})
    after = described()
    assert (after["Threshold"], after["StateValue"]) == (2.0, "ALARM")
    assert after["StateTransitionedTimestamp"] == before["StateTransitionedTimestamp"]
