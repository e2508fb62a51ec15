"""Tests of services.cloudwatch.fixes.metric_answers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from packages.localaws.tests.parts import client


def query(number: int, stat: str, **more: Any) -> dict[str, Any]:
    metric = {"Namespace": "N", "MetricName": f"m{number}"}
    return {
        "Id": f"q{number}",
        "MetricStat": {"Metric": metric, "Period": 60, "Stat": stat},
        **more,
    }


@pytest.mark.usefixtures("aws")
def test_labels_and_messages() -> None:
    cloudwatch = client("cloudwatch")
    now = datetime.now(UTC)

    def read(*queries: Any) -> Any:
        return cloudwatch.get_metric_data(
            MetricDataQueries=list(queries), StartTime=now - timedelta(hours=1), EndTime=now
        )

    found = read(query(1, "Sum"), query(2, "Sum", Label="mine"))
    assert [result["Label"] for result in found["MetricDataResults"]] == ["m1", "mine"]
    assert found["Messages"] == []
    mixed = read(query(1, "Sum"), query(2, "Average"))
    assert [result["Label"] for result in mixed["MetricDataResults"]] == ["m1 Sum", "m2 Average"]
