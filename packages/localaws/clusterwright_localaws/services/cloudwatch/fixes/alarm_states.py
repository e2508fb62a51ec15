"""moto's alarms are OK before anything was measured."""

from __future__ import annotations

from typing import Any

MOTO_VERSION = "5.2.5"
DESCRIPTION = "CloudWatch: a new alarm is in state INSUFFICIENT_DATA"
REPRODUCTION = """\
cloudwatch = boto3.client("cloudwatch")
cloudwatch.put_metric_alarm(
    AlarmName="a",
    Namespace="N",
    MetricName="m",
    Statistic="Average",
    Period=60,
    EvaluationPeriods=1,
    Threshold=1.0,
    ComparisonOperator="GreaterThanThreshold",
)
(alarm,) = cloudwatch.describe_alarms(AlarmNames=["a"])["MetricAlarms"]
assert alarm["StateValue"] == "INSUFFICIENT_DATA"
"""


def apply() -> None:
    from moto.cloudwatch.models import CloudWatchBackend

    put_in_moto = CloudWatchBackend.put_metric_alarm

    def put_metric_alarm(self: Any, name: str, *arguments: Any, **named: Any) -> Any:
        before = self.alarms.get(name)
        alarm = put_in_moto(self, name, *arguments, **named)
        # A changed alarm keeps its state.
        alarm.state_value = before.state_value if before is not None else "INSUFFICIENT_DATA"
        return alarm

    CloudWatchBackend.put_metric_alarm = put_metric_alarm  # type: ignore[method-assign]
