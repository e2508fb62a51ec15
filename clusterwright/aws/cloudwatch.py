"""Metrics of CloudWatch."""

from __future__ import annotations

import datetime as dt

from clusterwright.aws.session import AwsSession

# Usage metrics arrive every few minutes; an hour contains some for every service.
_WINDOW = dt.timedelta(hours=1)
_PERIOD_SECONDS = 300


def latest(
    session: AwsSession,
    namespace: str,
    metric: str,
    dimensions: tuple[tuple[str, str], ...],
    statistic: str,
    region: str | None = None,
) -> float | None:
    """Return the latest datapoint of the last hour; None if there is none."""
    now = dt.datetime.now(dt.UTC)
    answer = session.call(
        "cloudwatch",
        "GetMetricStatistics",
        region=region,
        Namespace=namespace,
        MetricName=metric,
        Dimensions=[{"Name": name, "Value": value} for name, value in dimensions],
        StartTime=now - _WINDOW,
        EndTime=now,
        Period=_PERIOD_SECONDS,
        Statistics=[statistic],
    )
    points = sorted(answer["Datapoints"], key=lambda point: point["Timestamp"])
    return float(points[-1][statistic]) if points else None
