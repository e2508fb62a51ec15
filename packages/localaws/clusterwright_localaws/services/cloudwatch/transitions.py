"""Changes of the states of alarms: their history, composite alarms that follow, and SNS messages.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-actions.html
Members of messages and of the history as recorded on AWS: docs/reference/probes.md, source
`localstack`; texts of composite alarms are those of AWS's examples:
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch-and-eventbridge.html
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.region_names import region_names
from clusterwright_localaws.services.cloudwatch.alarm_rules import Rule, read
from clusterwright_localaws.services.sagemaker.events import aware

KEPT_ITEMS: Final = 10_000
"""Items of the history of all alarms of a region that are kept here; AWS keeps 30 days."""
_ACTIONS: Final = {
    "ALARM": "alarm_actions",
    "OK": "ok_actions",
    "INSUFFICIENT_DATA": "insufficient_data_actions",
}


@dataclass(frozen=True)
class Item:
    """One item of the history of an alarm."""

    alarm: str
    composite: bool
    when: datetime
    kind: str
    summary: str
    data: str


@dataclass
class AlarmBook:
    """What is known of the alarms of one account and region besides moto's state."""

    history: list[Item] = field(default_factory=list)
    deleted: set[str] = field(default_factory=set)

    def note(self, item: Item) -> None:
        self.history.append(item)
        del self.history[:-KEPT_ITEMS]


def book_of(call: Call) -> AlarmBook:
    return call.runtime.store("cloudwatch", call.account, call.region, AlarmBook)


def alarms_of(call: Call) -> dict[str, Any]:
    """Return moto's alarms by name, composite ones among them."""
    found: dict[str, Any] = moto_state.backend("cloudwatch", call.account, call.region).alarms
    return found


def rule_of(alarm: Any) -> Rule:
    return read(str(alarm.rule))


def parents_of(alarms: Mapping[str, Any], name: str) -> list[Any]:
    """Return the composite alarms with a rule that names an alarm."""
    return [each for each in alarms.values() if each.rule and name in rule_of(each).alarms]


def change(
    call: Call, alarm: Any, state: str, reason: str, data: str | None, triggers: Sequence[Any] = ()
) -> None:
    """Change the state of an alarm, do what the change entails, and note both in the history.

    `triggers` are the alarms whose change this one follows.
    """
    old, new = _state(alarm), _described(state, reason, data)
    before = alarm.state_value
    alarm.update_state(reason, data, state)
    if before == state:
        return
    book = book_of(call)
    summary = f"Alarm updated from {before} to {state}"
    changed = json.dumps({"version": "1.0", "oldState": old, "newState": new})
    book.note(Item(alarm.name, bool(alarm.rule), call.now, "StateUpdate", summary, changed))
    if alarm.actions_enabled:
        _act(call, book, alarm, before, triggers)
    alarms = alarms_of(call)
    for parent in parents_of(alarms, alarm.name):
        evaluate(call, parent, [alarm])


def evaluate(
    call: Call, composite: Any, triggers: Sequence[Any], *, created: bool = False
) -> None:
    """Set the state of a composite alarm from its rule; a state that stays is not touched."""
    alarms = alarms_of(call)

    def state_of(name: str) -> str:
        return str(alarms[name].state_value) if name in alarms else ""

    state = "ALARM" if rule_of(composite).holds(state_of) else "OK"
    if state == composite.state_value:
        return
    if created:
        reason = f"{composite.alarm_arn} was created and its alarm rule evaluates to {state}"
    else:
        trigger = triggers[0]
        reason = (
            f"{trigger.alarm_arn} transitioned to {trigger.state_value} at "
            f"{call.now:%A %d %B, %Y %H:%M:%S} UTC"
        )
    data = {"triggeringAlarms": [_trigger(each, "arn", "state") for each in triggers]}
    change(call, composite, state, reason, json.dumps(data), triggers)


def stamp(moment: datetime) -> str:
    """Return a time as messages of alarms have it: 2026-11-01T10:00:00.000+0000."""
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}+0000"


def _state(alarm: Any) -> dict[str, Any]:
    return _described(alarm.state_value, alarm.state_reason, alarm.state_reason_data)


def _described(state: str, reason: str, data: str | None) -> dict[str, Any]:
    found: dict[str, Any] = {"stateValue": state, "stateReason": reason}
    return {**found, "stateReasonData": json.loads(data)} if data else found


def _trigger(alarm: Any, arn: str, state: str) -> dict[str, Any]:
    """Return an alarm that another one follows; reasons and messages write names differently."""
    value, timestamp = ("Value", "Timestamp") if state == "State" else ("value", "timestamp")
    moment = stamp(alarm.state_updated_timestamp)
    return {arn: alarm.alarm_arn, state: {value: alarm.state_value, timestamp: moment}}


def _act(call: Call, book: AlarmBook, alarm: Any, before: str, triggers: Sequence[Any]) -> None:
    for action in getattr(alarm, _ACTIONS[alarm.state_value]):
        done = _notify(call, str(action), alarm, before, triggers)
        if done is None:
            continue
        summary = f"{'Successfully executed' if done else 'Failed to execute'} action {action}"
        result = "Succeeded" if done else "Failed"
        data = {"actionState": result, "stateUpdateTimestamp": _milliseconds(alarm)}
        data |= {"notificationResource": action, "publishedMessage": None, "error": None}
        text = json.dumps(data)
        book.note(Item(alarm.name, bool(alarm.rule), call.now, "Action", summary, text))


def _milliseconds(alarm: Any) -> int:
    return int(aware(alarm.state_updated_timestamp).timestamp() * 1000)


def _notify(
    call: Call, action: str, alarm: Any, before: str, triggers: Sequence[Any]
) -> bool | None:
    """Publish to a topic; None for an action of another service, which does nothing here."""
    if action.split(":")[2:3] != ["sns"]:
        return None
    topics = moto_state.backend("sns", call.account, call.region).topics
    if action not in topics:
        return False
    region = region_names().get(call.region, call.region)
    message = _message(call, alarm, before, region, triggers)
    subject = f'{alarm.state_value}: "{alarm.name}" in {region}'[:100]
    topics[action].publish(json.dumps(message), subject=subject)
    return True


def _message(
    call: Call, alarm: Any, before: str, region: str, triggers: Sequence[Any]
) -> dict[str, Any]:
    found: dict[str, Any] = {
        "AlarmName": alarm.name,
        "AlarmDescription": alarm.description,
        "AWSAccountId": call.account,
        "AlarmConfigurationUpdatedTimestamp": stamp(alarm.configuration_updated_timestamp),
        "NewStateValue": alarm.state_value,
        "NewStateReason": alarm.state_reason,
        "StateChangeTime": stamp(alarm.state_updated_timestamp),
        "Region": region,
        "AlarmArn": alarm.alarm_arn,
        "OldStateValue": before,
        "OKActions": list(alarm.ok_actions),
        "AlarmActions": list(alarm.alarm_actions),
        "InsufficientDataActions": list(alarm.insufficient_data_actions),
    }
    if alarm.rule:
        children = [_trigger(each, "Arn", "State") for each in triggers]
        return {**found, "AlarmRule": alarm.rule, "TriggeringChildren": children}
    return {**found, "Trigger": _trigger_of_metric(alarm)}


def _trigger_of_metric(alarm: Any) -> dict[str, Any]:
    found: dict[str, Any] = {
        "Period": alarm.period,
        "EvaluationPeriods": alarm.evaluation_periods,
        "DatapointsToAlarm": alarm.datapoints_to_alarm,
        "ComparisonOperator": alarm.comparison_operator,
        "Threshold": alarm.threshold,
        "TreatMissingData": alarm.treat_missing_data or "missing",
        "EvaluateLowSampleCountPercentile": alarm.evaluate_low_sample_count_percentile or "",
    }
    if alarm.datapoints_to_alarm is None:
        del found["DatapointsToAlarm"]
    if alarm.metric_data_queries:
        return {**found, "Metrics": [_query(each) for each in alarm.metric_data_queries]}
    statistic = str(alarm.statistic).upper() if alarm.statistic else None
    return {
        "MetricName": alarm.metric_name,
        "Namespace": alarm.namespace,
        "StatisticType": "Statistic" if statistic else "ExtendedStatistic",
        "Statistic" if statistic else "ExtendedStatistic": statistic or alarm.extended_statistic,
        "Unit": alarm.unit,
        "Dimensions": _dimensions(alarm.dimensions),
        **found,
    }


def _query(query: Any) -> dict[str, Any]:
    found = {
        "Id": query.id,
        "Label": query.label,
        "Expression": query.expression,
        "Period": query.period,
        "ReturnData": True if query.return_data is None else query.return_data,
    }
    if query.metric_stat is not None:
        metric = query.metric_stat.metric
        found["MetricStat"] = {
            "Metric": {
                "Dimensions": _dimensions(metric.dimensions),
                "MetricName": metric.metric_name,
                "Namespace": metric.namespace,
            },
            "Period": query.metric_stat.period,
            "Stat": query.metric_stat.stat,
        }
    return {name: value for name, value in found.items() if value is not None}


def _dimensions(dimensions: Sequence[Any]) -> list[dict[str, str]]:
    return [{"value": each.value, "name": each.name} for each in dimensions]
