"""moto labels the results of a metric with its statistic, and answers no list of messages.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html
Recorded on AWS: docs/reference/probes.md, source `localstack`. What AWS adds to the labels of
results of several statistics is not recorded; they have moto's.
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "CloudWatch: GetMetricData labels results with the name of the metric, where all have one "
    "statistic, and answers its messages"
)


def apply() -> None:
    from moto.cloudwatch.models import CloudWatchBackend
    from moto.cloudwatch.responses import CloudWatchResponse

    read = CloudWatchBackend.get_metric_data
    answer = CloudWatchResponse.get_metric_data

    def get_metric_data(self: Any, queries: list[dict[str, Any]], *rest: Any, **named: Any) -> Any:
        return read(self, _labelled(queries) if runtime().active else queries, *rest, **named)

    def respond(self: Any) -> Any:
        found = answer(self)
        if runtime().active:
            result: Any = found.result
            result.setdefault("Messages", [])
        return found

    CloudWatchBackend.get_metric_data = get_metric_data  # type: ignore[method-assign]
    CloudWatchResponse.get_metric_data = respond  # type: ignore[method-assign]


def _labelled(queries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    metrics = [query["MetricStat"] for query in queries if "MetricStat" in query]
    if len({metric["Stat"] for metric in metrics}) != 1:
        return queries
    return [
        query
        if query.get("Label") or "MetricStat" not in query
        else query | {"Label": query["MetricStat"]["Metric"]["MetricName"]}
        for query in queries
    ]
