"""States of metric alarms, evaluated from the data of their metrics when alarms are described.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation.html and
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html. Texts
of reasons have the form of the examples there. The period that has not ended counts as soon as it
has data.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.services.cloudwatch import metric_insights
from clusterwright_localaws.services.cloudwatch.alarm_book import alarms_of, book_of
from clusterwright_localaws.services.cloudwatch.alarm_messages import stamp
from clusterwright_localaws.services.cloudwatch.datapoints import rounded_down
from clusterwright_localaws.services.cloudwatch.metric_data import get_metric_data
from clusterwright_localaws.services.cloudwatch.transitions import change

_HELD: Final = timedelta(minutes=1)
"""How long a state that SetAlarmState gave stays: until the next evaluation."""
_MORE_PERIODS: Final = 2
"""Periods that are looked at besides EvaluationPeriods: in AWS's examples, five for three."""
_COMPARISONS: Final = {
    "GreaterThanOrEqualToThreshold": (operator.ge, "greater than or equal to"),
    "GreaterThanThreshold": (operator.gt, "greater than"),
    "LessThanOrEqualToThreshold": (operator.le, "less than or equal to"),
    "LessThanThreshold": (operator.lt, "less than"),
}
_FILLED: Final = {"breaching": True, "notBreaching": False}


@dataclass(frozen=True)
class _Range:
    """What an evaluation looks at: whether each period breaches, newest last; None is missing."""

    breaches: Sequence[bool | None]
    points: Sequence[tuple[datetime, float]]
    start: datetime


@operation("cloudwatch", "DescribeAlarms", "DescribeAlarmsForMetric")
def describe_alarms(call: Call) -> Mapping[str, Any]:
    evaluate(call)
    raise ForwardToMoto


def evaluate(call: Call) -> None:
    """Evaluate all metric alarms of an account and region, and change the states that differ."""
    book, alarms = book_of(call), alarms_of(call)
    backend = moto_state.backend("cloudwatch", call.account, call.region)
    put = {(datum.namespace, datum.name) for datum in backend.metric_data}
    for alarm in list(alarms.values()):
        held = book.held.get(alarm.name)
        if alarm.rule or alarm.comparison_operator not in _COMPARISONS or alarm.threshold is None:
            continue
        if held is not None and call.now < held + _HELD:
            continue
        treatment = alarm.treat_missing_data or "missing"
        expected = alarm.name in book.measured or treatment in _FILLED
        if not expected and not _metrics(alarm) & put:
            continue
        found = _range(call, alarm)
        if found is None or (not found.points and not expected):
            continue
        if found.points:
            book.measured.add(alarm.name)
        state = state_of(
            found.breaches, alarm.evaluation_periods, _needed(alarm), treatment, alarm.state_value
        )
        if state != alarm.state_value:
            reason, data = _reason(alarm, state, found, treatment), _data(call, alarm, found)
            change(call, alarm, state, reason, data)


def state_of(
    breaches: Sequence[bool | None], periods: int, needed: int, treatment: str, before: str
) -> str:
    """Return the state of an alarm.

    Parameters
    ----------
    breaches:
        For each period of the evaluation range, newest last, whether its value breaches the
        threshold; None where it is missing.
    periods, needed:
        EvaluationPeriods and DatapointsToAlarm.
    treatment:
        TreatMissingData.
    before:
        The state that the alarm has.
    """
    known = [breach for breach in breaches if breach is not None][-periods:]
    missing = periods - len(known)
    if missing > 0 and treatment in _FILLED:
        known = [*known, *[_FILLED[treatment]] * missing]
        missing = 0
    if sum(known) >= needed:
        return "ALARM"
    if missing <= 0 or not all(known):
        return "OK"
    if treatment == "ignore":
        return before
    if not known:
        return "INSUFFICIENT_DATA"
    # All that is known breaches: this is an alarm once the oldest value is old enough.
    oldest = len(breaches) - breaches.index(True)
    return "ALARM" if oldest >= needed else before


def _needed(alarm: Any) -> int:
    return int(alarm.datapoints_to_alarm or alarm.evaluation_periods)


def _range(call: Call, alarm: Any) -> _Range | None:
    """Return what an evaluation looks at; None for metrics that are not computed here."""
    queries = _queries(alarm)
    period = max(
        (each["MetricStat"]["Period"] for each in queries if "MetricStat" in each), default=0
    )
    expressions = [each["Expression"] for each in queries if "Expression" in each]
    if not period or any(metric_insights.is_query(each) for each in expressions):
        return None
    end = rounded_down(call.now, period) + timedelta(seconds=min(period, 60))
    count = int(alarm.evaluation_periods) + _MORE_PERIODS
    span = timedelta(seconds=period)
    try:
        points = _points(call, queries, end - count * span, end)
        if not any(moment >= end - span for moment in points):
            end -= timedelta(seconds=min(period, 60))
            points = _points(call, queries, end - count * span, end)
    except AwsError:
        return None
    start = end - count * span
    compare, _ = _COMPARISONS[alarm.comparison_operator]
    values = [points.get(start + number * span) for number in range(count)]
    breaches = [None if value is None else compare(value, alarm.threshold) for value in values]
    return _Range(breaches, sorted(points.items())[-int(alarm.evaluation_periods) :], start)


def _points(
    call: Call, queries: Sequence[Mapping[str, Any]], start: datetime, end: datetime
) -> dict[datetime, float]:
    request = {"MetricDataQueries": queries, "StartTime": start, "EndTime": end}
    results = get_metric_data(replace(call, parameters=request))["MetricDataResults"]
    return {
        moment: value
        for result in results
        for moment, value in zip(result["Timestamps"], result["Values"], strict=True)
    }


def _metrics(alarm: Any) -> set[tuple[str, str]]:
    """Return namespaces and names of the metrics of an alarm."""
    metrics = [each["MetricStat"]["Metric"] for each in _queries(alarm) if "MetricStat" in each]
    return {(metric["Namespace"], metric["MetricName"]) for metric in metrics}


def _queries(alarm: Any) -> list[dict[str, Any]]:
    """Return the queries of GetMetricData that give an alarm's values."""
    if alarm.metric_data_queries:
        return [_query(each) for each in alarm.metric_data_queries]
    statistic = alarm.statistic or alarm.extended_statistic
    if not alarm.metric_name or not statistic or not alarm.period:
        return []
    metric = _metric(alarm)
    return [{"Id": "m", "MetricStat": _stat(metric, alarm.period, statistic, alarm.unit)}]


def _query(query: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"Id": query.id, "ReturnData": query.return_data is not False}
    if query.metric_stat is None:
        return {**found, "Expression": query.expression, "Period": query.period}
    asked = query.metric_stat
    unit = getattr(asked, "unit", None)
    return {**found, "MetricStat": _stat(_metric(asked.metric), asked.period, asked.stat, unit)}


def _stat(metric: dict[str, Any], period: Any, statistic: str, unit: str | None) -> dict[str, Any]:
    found = {"Metric": metric, "Period": int(period), "Stat": statistic}
    return {**found, "Unit": unit} if unit else found


def _metric(source: Any) -> dict[str, Any]:
    return {
        "Namespace": source.namespace,
        "MetricName": source.metric_name,
        "Dimensions": [
            {"Name": each.name, "Value": each.value} for each in source.dimensions or ()
        ],
    }


def _reason(alarm: Any, state: str, found: _Range, treatment: str) -> str:
    periods = int(alarm.evaluation_periods)
    if state == "INSUFFICIENT_DATA":
        return f"Insufficient Data: {_counted(periods)} unknown."
    if not found.points:
        many = "period" if periods == 1 else "periods"
        filled = f"{periods} missing {_datapoints(periods)} {_were(periods)}"
        treated = "Breaching" if _FILLED[treatment] else "NonBreaching"
        return (
            f"Threshold Crossed: no datapoints were received for {periods} {many} and {filled} "
            f"treated as [{treated}]."
        )
    compare, words = _COMPARISONS[alarm.comparison_operator]
    alarming = state == "ALARM"
    shown = [
        point for point in found.points if compare(point[1], alarm.threshold) == alarming
    ] or found.points
    values = ", ".join(
        f"{value} ({moment:%d/%m/%y %H:%M:%S})" for moment, value in reversed(shown)
    )
    least = _needed(alarm) if alarming else periods - _needed(alarm) + 1
    turn = "OK -> ALARM" if alarming else "ALARM -> OK"
    return (
        f"Threshold Crossed: {len(shown)} out of the last {periods} {_datapoints(periods)} "
        f"[{values}] {_were(len(shown))} {'' if alarming else 'not '}{words} the threshold "
        f"({float(alarm.threshold)}) (minimum {least} {_datapoints(least)} for {turn} transition)."
    )


def _datapoints(count: int) -> str:
    return "datapoint" if count == 1 else "datapoints"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _counted(count: int) -> str:
    return f"{count} {_datapoints(count)} {_were(count)}"


def _data(call: Call, alarm: Any, found: _Range) -> str:
    data = {
        "version": "1.0",
        "queryDate": stamp(call.now),
        "startDate": stamp(found.points[0][0] if found.points else found.start),
        "unit": alarm.unit,
        "statistic": alarm.statistic or alarm.extended_statistic,
        "period": alarm.period,
        "recentDatapoints": [value for _, value in found.points],
        "threshold": float(alarm.threshold),
    }
    return json.dumps({name: value for name, value in data.items() if value is not None})
