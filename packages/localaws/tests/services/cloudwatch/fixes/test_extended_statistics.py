"""Tests of services.cloudwatch.fixes.extended_statistics."""

from __future__ import annotations

import pytest

from packages.localaws.tests.parts import client


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize(
    "statistic", ["p0", "p100", "p99.9", "tm90", "IQM", "PR(:300)", "TM(10%:90%)", "WM(80%:)"]
)
def test_statistics_that_are_taken(statistic: str) -> None:
    client("cloudwatch").put_metric_alarm(
        AlarmName="a",
        Namespace="n",
        MetricName="m",
        ExtendedStatistic=statistic,
        Period=60,
        EvaluationPeriods=1,
        Threshold=1.0,
        ComparisonOperator="GreaterThanThreshold",
    )
    (found,) = client("cloudwatch").describe_alarms()["MetricAlarms"]
    assert found["ExtendedStatistic"] == statistic
