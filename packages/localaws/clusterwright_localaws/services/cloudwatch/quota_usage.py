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
from clusterwright_localaws.core.errors import ForwardToMoto
from clusterwright_localaws.services.cloudwatch import fsx_metrics
from clusterwright_localaws.services.cloudwatch.metrics import check_datapoints

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
    """Answer the current usage as one datapoint, and FSx's metrics; moto has the other
    namespaces.
    """
    request = call.parameters
    check_datapoints(request)
    if request["Namespace"] == fsx_metrics.NAMESPACE:
        return fsx_metrics.statistics(call)
    if request["Namespace"] != NAMESPACE:
        raise ForwardToMoto
    dimensions = {d["Name"]: d["Value"] for d in request.get("Dimensions", ())}
    service, code = dimensions.get("Service", ""), dimensions.get("Resource", "")
    if request["MetricName"] != METRIC or f"{service}/{code}" not in call.world.usage:
        return {"Label": request["MetricName"], "Datapoints": []}
    value = quotas.in_use(call.runtime, call.account, call.region, service, code)
    statistics = request.get("Statistics") or ["Maximum"]
    point: dict[str, Any] = {"Timestamp": call.now, "Unit": "None"}
    point |= {name: value for name in statistics if name in ("Maximum", "Average", "Minimum")}
    return {"Label": METRIC, "Datapoints": [point]}
