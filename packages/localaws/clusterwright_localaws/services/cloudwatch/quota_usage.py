"""What others use of a quota, as AWS shows it: the metric that GetServiceQuota names.

A world's `usage` is use by resources that nobody here lists. AWS publishes the use of quotas in
CloudWatch's namespace AWS/Usage and names the metric in the quota's UsageMetric; so does this,
for the quotas of which a world states the use.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core import quotas
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import ForwardToMoto
from clusterwright_localaws.services.cloudwatch import fsx_metrics

NAMESPACE = "AWS/Usage"
METRIC = "ResourceCount"


def usage_metric(call: Call, service: str, code: str) -> dict[str, Any]:
    """The UsageMetric member of a quota, or nothing where the world states no use."""
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
    """The present use as one datapoint, and FSx's metrics; other namespaces are moto's."""
    asked = call.parameters
    if asked["Namespace"] == fsx_metrics.NAMESPACE:
        return fsx_metrics.statistics(call)
    if asked["Namespace"] != NAMESPACE:
        raise ForwardToMoto
    dimensions = {d["Name"]: d["Value"] for d in asked.get("Dimensions", ())}
    service, code = dimensions.get("Service", ""), dimensions.get("Resource", "")
    if asked["MetricName"] != METRIC or f"{service}/{code}" not in call.world.usage:
        return {"Label": asked["MetricName"], "Datapoints": []}
    value = quotas.in_use(call.runtime, call.account, call.region, service, code)
    statistics = asked.get("Statistics") or ["Maximum"]
    point: dict[str, Any] = {"Timestamp": call.now, "Unit": "None"}
    point |= {name: value for name in statistics if name in ("Maximum", "Average", "Minimum")}
    return {"Label": METRIC, "Datapoints": [point]}
