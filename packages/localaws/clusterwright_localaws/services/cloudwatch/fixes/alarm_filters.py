"""moto's DescribeAlarms uses one of its filters, and answers composite alarms that are not asked.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarms.html: without
`AlarmTypes` only metric alarms are returned; parents and children are returned alone, and with few
members.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.cloudwatch.transitions import parents_of, rule_of

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "CloudWatch: DescribeAlarms applies all its filters, and AlarmTypes among them, has pages and "
    "answers parents and children"
)
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
_KINDS = ("MetricAlarm", "CompositeAlarm")
_PAGE = 100
"""Alarms of one answer, at most (API model, MaxRecords)."""
_NEXT = "alarms:"
_RELATIONS = {"ChildrenOfAlarmName", "ParentsOfAlarmName"}
# What may be asked together with a relation; the API reference does not say it of the types.
_BESIDE_RELATIONS = {"AlarmTypes", "MaxRecords", "NextToken"}


def apply() -> None:
    from moto.cloudwatch.responses import CloudWatchResponse
    from moto.core.responses import ActionResult

    in_moto = CloudWatchResponse.describe_alarms

    def describe_alarms(self: Any) -> Any:
        if not runtime().active:
            return in_moto(self)
        asked = self._get_params()
        found, following = _page(_found(self.cloudwatch_backend.alarms, asked), asked)
        answer: dict[str, Any] = {
            f"{kind}s": [each for of, each in found if of == kind] for kind in _KINDS
        }
        return ActionResult({**answer, "NextToken": following} if following else answer)

    CloudWatchResponse.describe_alarms = describe_alarms  # type: ignore[method-assign]


def _found(alarms: Mapping[str, Any], asked: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return all alarms that are asked for, with their types, metric alarms first."""
    relations = _RELATIONS & asked.keys()
    others = asked.keys() - _BESIDE_RELATIONS - relations
    if len(relations) > 1 or (relations and others):
        # The text is ours.
        names = ", ".join(sorted(relations | others))
        raise AwsError("ValidationError", f"These may not be given together: {names}.")
    kinds = asked.get("AlarmTypes") or (_KINDS if relations else ("MetricAlarm",))
    if "ChildrenOfAlarmName" in asked:
        found = [(each, _child(each)) for each in _children(alarms, asked["ChildrenOfAlarmName"])]
    elif "ParentsOfAlarmName" in asked:
        parents = parents_of(alarms, asked["ParentsOfAlarmName"])
        found = [(each, _named(each)) for each in parents]
    else:
        found = [(each, each) for each in alarms.values() if _fits(each, asked)]
    typed = [("CompositeAlarm" if each.rule else "MetricAlarm", view) for each, view in found]
    return [one for kind in _KINDS if kind in kinds for one in typed if one[0] == kind]


def _page(
    found: list[tuple[str, Any]], asked: Mapping[str, Any]
) -> tuple[list[tuple[str, Any]], str]:
    token, size = asked.get("NextToken") or f"{_NEXT}0", asked.get("MaxRecords") or _PAGE
    start = token.removeprefix(_NEXT)
    if not token.startswith(_NEXT) or not (start.isascii() and start.isdigit()):
        raise AwsError("InvalidNextToken", "The NextToken is not valid")
    end = int(start) + int(size)
    return found[int(start) : end], f"{_NEXT}{end}" if end < len(found) else ""


def _children(alarms: Mapping[str, Any], name: str) -> list[Any]:
    """Return the alarms in the rule of an alarm."""
    rule = rule_of(alarms[name]).alarms if name in alarms and alarms[name].rule else ()
    return [alarms[each] for each in rule if each in alarms]


def _named(alarm: Any) -> dict[str, Any]:
    return {"AlarmName": alarm.name, "AlarmArn": alarm.alarm_arn}


def _child(alarm: Any) -> dict[str, Any]:
    state = {
        "StateValue": alarm.state_value,
        "StateUpdatedTimestamp": alarm.state_updated_timestamp,
    }
    return {**_named(alarm), **state}


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
