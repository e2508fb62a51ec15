"""Tests of services.cloudwatch.alarms."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal
from packages.localaws.tests.services.cloudwatch.alarm_requests import alarm

pytestmark = pytest.mark.usefixtures("aws")


class TestAlarms:
    @pytest.mark.parametrize(
        "more",
        [
            {},
            {"Period": 10},
            {"Statistic": None, "ExtendedStatistic": "p99"},
            {"Period": 3600, "EvaluationPeriods": 168},
            {"Period": 60, "EvaluationPeriods": 1440},
        ],
    )
    def test_alarms_that_are_accepted(self, more: dict[str, Any]) -> None:
        client("cloudwatch").put_metric_alarm(**alarm(**more))
        assert len(client("cloudwatch").describe_alarms()["MetricAlarms"]) == 1

    @pytest.mark.parametrize(
        "more",
        [
            {"Period": 7},
            {"Period": 90},
            {"Statistic": None},
            {"ExtendedStatistic": "p99"},
            {"Period": 60, "EvaluationPeriods": 1441},
            {"Period": 3600, "EvaluationPeriods": 169},
            {"DatapointsToAlarm": 6},
        ],
    )
    def test_alarms_that_are_refused(self, more: dict[str, Any]) -> None:
        found = refusal(client("cloudwatch").put_metric_alarm, **alarm(**more))
        assert found[0] == "ValidationError"
        assert client("cloudwatch").describe_alarms()["MetricAlarms"] == []

    def test_a_composite_alarm_keeps_its_name(self) -> None:
        cloudwatch = client("cloudwatch")
        cloudwatch.put_composite_alarm(AlarmName="idle", AlarmRule="FALSE")
        assert refusal(cloudwatch.put_metric_alarm, **alarm())[0] == "ValidationError"
        found = cloudwatch.describe_alarms(AlarmTypes=["MetricAlarm", "CompositeAlarm"])
        assert (len(found["MetricAlarms"]), len(found["CompositeAlarms"])) == (0, 1)
