"""Tests of services.cloudwatch.alarm_evaluation."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.cloudwatch.alarm_evaluation import state_of
from packages.localaws.tests.parts import client
from packages.localaws.tests.services.cloudwatch.alarm_requests import alarm

pytestmark = pytest.mark.usefixtures("aws")

BEFORE = "before"


@pytest.mark.parametrize(
    ("needed", "points", "states"),
    [
        (3, "0-X-X", ("OK", "OK", "OK", "OK")),
        (3, "----0", ("OK", "OK", "OK", "OK")),
        (3, "-----", ("INSUFFICIENT_DATA", BEFORE, "ALARM", "OK")),
        (3, "0XX-X", ("ALARM", "ALARM", "ALARM", "ALARM")),
        (3, "--X--", ("ALARM", BEFORE, "ALARM", "OK")),
        (2, "0-X-X", ("ALARM", "ALARM", "ALARM", "ALARM")),
        (2, "00X0X", ("ALARM", "ALARM", "ALARM", "ALARM")),
        (2, "0-X--", ("OK", "OK", "ALARM", "OK")),
        (2, "----0", ("OK", "OK", "ALARM", "OK")),
        (2, "---X-", ("ALARM", BEFORE, "ALARM", "OK")),
    ],
)
def test_state_of_three_periods(needed: int, points: str, states: tuple[str, ...]) -> None:
    breaches = [{"X": True, "0": False}.get(each) for each in points]
    treatments = ("missing", "ignore", "breaching", "notBreaching")
    found = tuple(state_of(breaches, 3, needed, each, BEFORE) for each in treatments)
    assert found == states


def make(name: str = "busy", **more: Any) -> None:
    more = {"Threshold": 5.0, "ComparisonOperator": "GreaterThanThreshold", **more}
    client("cloudwatch").put_metric_alarm(**alarm(AlarmName=name, EvaluationPeriods=1, **more))


def put(value: float, minutes_ago: float = 0, **more: Any) -> None:
    moment = runtime().clock.now() - timedelta(minutes=minutes_ago)
    datum = {"MetricName": "Busy", "Value": value, "Timestamp": moment, **more}
    client("cloudwatch").put_metric_data(Namespace="Cluster", MetricData=[datum])


def described(name: str = "busy") -> dict[str, Any]:
    found = client("cloudwatch").describe_alarms(AlarmNames=[name])["MetricAlarms"]
    return dict(found[0])


def state(name: str = "busy") -> str:
    return str(described(name)["StateValue"])


class TestEvaluation:
    @pytest.mark.parametrize("unit", ["Seconds", None])
    def test_the_unit_of_an_alarm_is_in_the_data_of_its_reason(self, unit: str | None) -> None:
        make(TreatMissingData="breaching", **({"Unit": unit} if unit else {}))
        found = described()
        assert found["StateValue"] == "ALARM"
        assert json.loads(found["StateReasonData"]).get("unit") == unit

    def test_states_follow_the_data(self) -> None:
        make()
        assert state() == "INSUFFICIENT_DATA"
        put(9)
        found = described()
        assert found["StateValue"] == "ALARM"
        assert found["StateReason"].startswith(
            "Threshold Crossed: 1 out of the last 1 datapoint [9.0"
        )
        assert found["StateReason"].endswith(
            "was greater than the threshold (5.0) (minimum 1 datapoint for OK -> ALARM "
            "transition)."
        )
        assert json.loads(found["StateReasonData"])["recentDatapoints"] == [9.0]
        runtime().clock.advance(120)
        put(1)
        assert state() == "OK"
        runtime().clock.advance(600)
        found = described()
        assert found["StateValue"] == "INSUFFICIENT_DATA"
        assert found["StateReason"] == "Insufficient Data: 1 datapoint was unknown."
        items = client("cloudwatch").describe_alarm_history(
            AlarmName="busy", HistoryItemType="StateUpdate"
        )["AlarmHistoryItems"]
        assert [item["HistorySummary"] for item in items] == [
            "Alarm updated from OK to INSUFFICIENT_DATA",
            "Alarm updated from ALARM to OK",
            "Alarm updated from INSUFFICIENT_DATA to ALARM",
        ]

    def test_data_of_other_dimensions_are_another_metric(self) -> None:
        make()
        put(9, Dimensions=[{"Name": "Node", "Value": "one"}])
        assert state() == "INSUFFICIENT_DATA"

    @pytest.mark.parametrize(
        ("treatment", "expected"), [("breaching", "ALARM"), ("notBreaching", "OK")]
    )
    def test_missing_data(self, treatment: str, expected: str) -> None:
        make(TreatMissingData=treatment)
        found = described()
        assert found["StateValue"] == expected
        assert "no datapoints were received for 1 period" in found["StateReason"]

    def test_two_of_three(self) -> None:
        client("cloudwatch").put_metric_alarm(
            **alarm(
                AlarmName="busy",
                EvaluationPeriods=3,
                DatapointsToAlarm=2,
                Threshold=5.0,
                ComparisonOperator="GreaterThanOrEqualToThreshold",
            )
        )
        for value, ago in ((5, 3), (1, 2)):
            put(value, ago)
        assert state() == "OK"
        put(9, 1)
        assert state() == "ALARM"

    def test_state_that_was_set_stays_until_the_next_evaluation(self) -> None:
        make()
        put(1)
        cloudwatch = client("cloudwatch")
        cloudwatch.set_alarm_state(AlarmName="busy", StateValue="ALARM", StateReason="test")
        assert state() == "ALARM"
        runtime().clock.advance(61)
        put(1)
        assert state() == "OK"

    @pytest.mark.parametrize(
        ("expression", "expected"),
        [("busy * 2", "ALARM"), ("FILL(busy, 9)", "INSUFFICIENT_DATA")],
    )
    def test_alarm_of_an_expression(self, expression: str, expected: str) -> None:
        """Functions are not computed here; the state stays."""
        metric = {"Namespace": "Cluster", "MetricName": "Busy"}
        queries = [
            {
                "Id": "busy",
                "MetricStat": {"Metric": metric, "Period": 60, "Stat": "Sum"},
                "ReturnData": False,
            },
            {"Id": "all", "Expression": expression},
        ]
        request = alarm(AlarmName="busy", EvaluationPeriods=1, Metrics=queries, Threshold=5.0)
        for name in ("MetricName", "Namespace", "Period", "Statistic"):
            del request[name]
        client("cloudwatch").put_metric_alarm(
            **{**request, "ComparisonOperator": "GreaterThanThreshold"}
        )
        put(4)
        assert state() == expected

    def test_composite_alarm_follows(self) -> None:
        make()
        cloudwatch = client("cloudwatch")
        cloudwatch.put_composite_alarm(AlarmName="both", AlarmRule="ALARM(busy)")
        put(9)
        found = cloudwatch.describe_alarms(AlarmNames=["both"], AlarmTypes=["CompositeAlarm"])
        assert [each["StateValue"] for each in found["CompositeAlarms"]] == ["ALARM"]
