"""Requests that create alarms."""

from __future__ import annotations

from typing import Any


def alarm(**more: Any) -> dict[str, Any]:
    """Return a request of PutMetricAlarm; members of None are left out."""
    request = {
        "AlarmName": "idle",
        "MetricName": "Busy",
        "Namespace": "Cluster",
        "Period": 60,
        "EvaluationPeriods": 5,
        "Threshold": 1.0,
        "ComparisonOperator": "LessThanThreshold",
        "Statistic": "Maximum",
        **more,
    }
    return {key: value for key, value in request.items() if value is not None}
