"""Tests of services.cloudwatch.metrics."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")

START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
STATISTICS = {"SampleCount": 1.0, "Sum": 1.0, "Minimum": 1.0, "Maximum": 1.0}


def test_datum_has_one_kind_of_value() -> None:
    put = client("cloudwatch").put_metric_data
    for other in ({"Values": [1.0]}, {"StatisticValues": STATISTICS}):
        datum = {"MetricName": "m", "Value": 0.0, **other}
        found = refusal(put, Namespace="N", MetricData=[{"MetricName": "m", "Value": 1.0}, datum])
        assert found[0] == "InvalidParameterCombination"
        (name,) = other
        assert f"MetricData.member.2.Value and MetricData.member.2.{name} are" in found[1]
    put(Namespace="N", MetricData=[{"MetricName": "m", "Values": [1.0], "Counts": [2.0]}])


@pytest.mark.parametrize(("period", "accepted"), [(60, True), (30, False), (1, False)])
def test_statistics_have_at_most_1440_datapoints(period: int, accepted: bool) -> None:
    request: dict[str, Any] = {
        "Namespace": "N",
        "MetricName": "m",
        "StartTime": START,
        "EndTime": START + dt.timedelta(days=1),
        "Period": period,
        "Statistics": ["Sum"],
    }
    statistics = client("cloudwatch").get_metric_statistics
    if accepted:
        assert statistics(**request)["Datapoints"] == []
    else:
        code, message = refusal(statistics, **request)[:2]
        assert code == "InvalidParameterCombination"
        assert message.startswith(f"You have requested up to {86_400 // period} datapoints")


def test_name_of_a_dashboard() -> None:
    put = client("cloudwatch").put_dashboard
    body = '{"widgets": []}'
    assert refusal(put, DashboardName="a:b", DashboardBody=body)[0] == "InvalidParameterValue"
    put(DashboardName="a_b-1", DashboardBody=body)


def test_alarm_that_does_not_exist_has_no_tags() -> None:
    arn = "arn:aws:cloudwatch:us-east-1:123456789012:alarm:none"
    found = refusal(client("cloudwatch").list_tags_for_resource, ResourceARN=arn)
    assert found[0] == "ResourceNotFoundException"
