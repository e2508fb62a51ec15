"""Messages of alarms to topics of SNS.

Members as recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.region_names import region_names
from clusterwright_localaws.core.timestamps import with_milliseconds


def written(call: Call, alarm: Any, before: str, triggers: Sequence[Any]) -> tuple[str, str]:
    """Return the subject and the text of the message of a change from the state `before`.

    `triggers` are the alarms whose change this one follows.
    """
    region = region_names().get(call.region, call.region)
    subject = f'{alarm.state_value}: "{alarm.name}" in {region}'[:100]
    return subject, json.dumps(_message(call, alarm, before, region, triggers))


def stamp(moment: datetime) -> str:
    """Return a time as messages of alarms have it: 2026-11-01T10:00:00.000+0000."""
    return with_milliseconds(moment, "+0000")


def trigger(alarm: Any, arn: str, state: str) -> dict[str, Any]:
    """Return an alarm that another one follows; reasons and messages write names differently."""
    value, timestamp = ("Value", "Timestamp") if state == "State" else ("value", "timestamp")
    moment = stamp(alarm.state_updated_timestamp)
    return {arn: alarm.alarm_arn, state: {value: alarm.state_value, timestamp: moment}}


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
        children = [trigger(each, "Arn", "State") for each in triggers]
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
