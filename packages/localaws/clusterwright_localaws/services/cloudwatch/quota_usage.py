"""Usage of quotas by others, as the metric that GetServiceQuota names.

A world's `usage` is usage by resources that no API lists. AWS publishes the usage of quotas in
CloudWatch's namespace AWS/Usage and names the metric in the quota's UsageMetric; the local AWS
does the same for quotas whose usage the world states.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core import quotas
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.cloudwatch import fsx_metrics
from clusterwright_localaws.services.cloudwatch.datapoints import (
    buckets,
    has_statistic,
    statistic,
)
from clusterwright_localaws.services.cloudwatch.metrics import check_datapoints, check_period

NAMESPACE = "AWS/Usage"
METRIC = "ResourceCount"


def usage_metric(call: Call, service: str, code: str) -> dict[str, Any]:
    """Return the UsageMetric member of a quota, or nothing where the world states no usage."""
    if f"{service}/{code}" not in call.world.usage:
        return {}
    return {
        "UsageMetric": {
            "MetricNamespace": NAMESPACE,
            "MetricName": METRIC,
            "MetricDimensions": {
                "Service": service,
                "Resource": code,
                "Type": "Resource",
                "Class": "None",
            },
            "MetricStatisticRecommendation": "Maximum",
        }
    }


@operation("cloudwatch", "GetMetricStatistics")
def get_metric_statistics(call: Call) -> Mapping[str, Any]:
    """Answer the current usage as one datapoint, FSx's metrics, and the data that moto keeps."""
    check_datapoints(call.parameters)
    check_period(call.parameters["Period"], "InvalidParameterValue")
    computed = computed_statistics(call)
    return _kept(call) if computed is None else computed


def computed_statistics(call: Call) -> Mapping[str, Any] | None:
    """Answer a request of GetMetricStatistics for a metric of AWS; None for other metrics."""
    request = call.parameters
    if request["Namespace"] == fsx_metrics.NAMESPACE:
        return fsx_metrics.statistics(call)
    if request["Namespace"] != NAMESPACE:
        return None
    dimensions = {d["Name"]: d["Value"] for d in request.get("Dimensions", ())}
    service, code = dimensions.get("Service", ""), dimensions.get("Resource", "")
    if request["MetricName"] != METRIC or f"{service}/{code}" not in call.world.usage:
        return {"Label": request["MetricName"], "Datapoints": []}
    value = quotas.in_use(call.runtime, call.account, call.region, service, code)
    statistics = request.get("Statistics") or ["Maximum"]
    point: dict[str, Any] = {"Timestamp": call.now, "Unit": "None"}
    point |= {name: value for name in statistics if name in ("Maximum", "Average", "Minimum")}
    return {"Label": METRIC, "Datapoints": [point]}


def _kept(call: Call) -> Mapping[str, Any]:
    """Return the datapoints of a metric that was put, those of each unit on their own."""
    request = call.parameters
    plain, extended = request.get("Statistics", ()), request.get("ExtendedStatistics", ())
    if bool(plain) == bool(extended):
        raise AwsError(
            "InvalidParameterCombination", "Must specify either Statistics or ExtendedStatistics"
        )
    if request["StartTime"] >= request["EndTime"]:
        raise AwsError(
            "InvalidParameterValue",
            "The parameter StartTime must be less than the parameter EndTime.",
        )
    found = buckets(
        call, request, request["StartTime"], request["EndTime"], int(request["Period"])
    )
    points: list[dict[str, Any]] = []
    for unit, periods in found.items():
        if request.get("Unit") not in (None, unit):
            continue
        for moment, data in periods.items():
            point: dict[str, Any] = {"Timestamp": moment, "Unit": unit}
            point |= {name: statistic(data, name) for name in plain}
            more = {name: statistic(data, name) for name in extended if has_statistic(data, name)}
            points.append({**point, "ExtendedStatistics": more} if more else point)
    points.sort(key=lambda point: point["Timestamp"])
    return {"Label": request["MetricName"], "Datapoints": points}
