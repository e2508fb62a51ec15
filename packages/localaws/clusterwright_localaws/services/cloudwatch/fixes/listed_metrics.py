"""moto lists a metric once for each datum if it has several dimensions.

It compares each dimension of a metric with each one of the other metric.
https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_ListMetrics.html
Recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "CloudWatch: ListMetrics lists a metric once, whatever its dimensions"
REPRODUCTION = """\
cloudwatch = boto3.client("cloudwatch")
dimensions = [{"Name": "a", "Value": "1"}, {"Name": "b", "Value": "2"}]
for value in (1, 2):
    datum = {"MetricName": "m", "Value": value, "Dimensions": dimensions}
    cloudwatch.put_metric_data(Namespace="N", MetricData=[datum])
assert len(cloudwatch.list_metrics(Namespace="N")["Metrics"]) == 1
"""


def apply() -> None:
    from moto.cloudwatch.models import CloudWatchBackend

    in_moto = CloudWatchBackend.get_filtered_metrics

    def get_filtered_metrics(
        self: Any, metric_name: str, namespace: str, dimensions: list[dict[str, str]]
    ) -> Any:
        if not runtime().active:
            return in_moto(self, metric_name, namespace, dimensions)
        found: dict[Any, Any] = {}
        for datum in self.get_all_metrics():
            if datum.filter(namespace=namespace, name=metric_name, dimensions=dimensions):
                found.setdefault(_identity(datum), datum)
        return list(found.values())

    CloudWatchBackend.get_filtered_metrics = get_filtered_metrics  # type: ignore[method-assign]


def _identity(datum: Any) -> tuple[Any, ...]:
    dimensions = sorted((each.name, each.value) for each in datum.dimensions)
    return datum.namespace, datum.name, tuple(dimensions)
