"""moto's DescribeAlarms uses one of its filters, and answers composite alarms that are not asked.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarms.html: without
`AlarmTypes` only metric alarms are returned.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.runtime import runtime

MOTO_VERSION = "5.2.5"
DESCRIPTION = "CloudWatch: DescribeAlarms applies all its filters, and AlarmTypes among them"
REPRODUCTION = """\
cloudwatch = boto3.client("cloudwatch")
for name in ("a", "b"):
    cloudwatch.put_metric_alarm(
        AlarmName=name,
        Namespace="N",
        MetricName="m",
        Statistic="Average",
        Period=60,
        EvaluationPeriods=1,
        Threshold=1.0,
        ComparisonOperator="GreaterThanThreshold",
    )
cloudwatch.set_alarm_state(AlarmName="a", StateValue="ALARM", StateReason="test")
found = cloudwatch.describe_alarms(AlarmNames=["a", "b"], StateValue="ALARM")["MetricAlarms"]
assert [alarm["AlarmName"] for alarm in found] == ["a"]
"""
_ACTIONS = ("alarm_actions", "ok_actions", "insufficient_data_actions")


def apply() -> None:
    from moto.cloudwatch.responses import CloudWatchResponse
    from moto.core.responses import ActionResult

    in_moto = CloudWatchResponse.describe_alarms

    def describe_alarms(self: Any) -> Any:
        if not runtime().active:
            return in_moto(self)
        asked = self._get_params()
        kinds = asked.get("AlarmTypes") or ["MetricAlarm"]
        found = [each for each in self.cloudwatch_backend.describe_alarms() if _fits(each, asked)]
        metric = [each for each in found if each.rule is None]
        composite = [each for each in found if each.rule is not None]
        return ActionResult(
            {
                "MetricAlarms": metric if "MetricAlarm" in kinds else [],
                "CompositeAlarms": composite if "CompositeAlarm" in kinds else [],
            }
        )

    CloudWatchResponse.describe_alarms = describe_alarms  # type: ignore[method-assign]


def _fits(alarm: Any, asked: Mapping[str, Any]) -> bool:
    names, prefix = asked.get("AlarmNames"), asked.get("ActionPrefix")
    if names and alarm.name not in names:
        return False
    if not alarm.name.startswith(asked.get("AlarmNamePrefix") or ""):
        return False
    if asked.get("StateValue") not in (None, alarm.state_value):
        return False
    actions = [action for kind in _ACTIONS for action in getattr(alarm, kind)]
    return not prefix or any(action.startswith(prefix) for action in actions)
