"""GetMetricData: labels, datapoints and pages as recorded on AWS; moto keeps the data.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html
Recorded on AWS: docs/reference/probes.md, source `localstack`.
"""

from __future__ import annotations

import graphlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.pagination import page
from clusterwright_localaws.services.cloudwatch import metric_insights, metric_math
from clusterwright_localaws.services.cloudwatch.datapoints import (
    buckets,
    has_statistic,
    period_of,
    statistic,
)
from clusterwright_localaws.services.cloudwatch.metrics import check_period
from clusterwright_localaws.services.cloudwatch.quota_usage import computed_statistics
from clusterwright_localaws.services.sagemaker.events import aware

_MOST_DATAPOINTS: Final = 100_800
"""Datapoints of one answer (API model, MaxDatapoints)."""


@operation("cloudwatch", "GetMetricData")
def get_metric_data(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    queries: Sequence[Mapping[str, Any]] = request["MetricDataQueries"]
    start, end = aware(request["StartTime"]), aware(request["EndTime"])
    for number, query in enumerate(queries, 1):
        _check(query, f"MetricDataQueries.member.{number}")
    _refuse_repeated([query["Id"] for query in queries])
    if start > end:
        raise _invalid("The parameter EndTime must be greater than StartTime.")
    if start == end:
        raise _invalid("The parameter StartTime must not equal parameter EndTime.")
    series = {
        query["Id"]: _measured(call, query["MetricStat"], start, end)
        for query in queries
        if "MetricStat" in query
    }
    expressions = {
        query["Id"]: query["Expression"]
        for query in queries
        if "Expression" in query and not metric_insights.is_query(query["Expression"])
    }
    for name in _in_order(expressions):
        series[name] = metric_math.evaluate(expressions[name], series)
    newest_first = request.get("ScanBy") != "TimestampAscending"
    results = [
        {
            "Id": query["Id"],
            "Label": query.get("Label") or group or _label(query, queries),
            "points": sorted(points.items(), reverse=newest_first),
        }
        for query in queries
        if query.get("ReturnData", True)
        for group, points in (
            [(None, series[query["Id"]])]
            if query["Id"] in series
            else metric_insights.groups(call, query["Expression"], start, end, query["Period"])
        )
    ]
    return _answer(call, results)


def _answer(call: Call, results: list[dict[str, Any]]) -> Mapping[str, Any]:
    """Return the page of datapoints that the call asks for, by result."""
    points = [(number, *point) for number, one in enumerate(results) for point in one["points"]]
    shown, token = page(
        points,
        call,
        default=_MOST_DATAPOINTS,
        maximum=_MOST_DATAPOINTS,
        size_member="MaxDatapoints",
    )
    found = []
    for number, one in enumerate(results):
        here = [point[1:] for point in shown if point[0] == number]
        if not here and (one["points"] or call.parameters.get("NextToken")):
            continue
        found.append(
            {
                "Id": one["Id"],
                "Label": one["Label"],
                "Timestamps": [moment for moment, _ in here],
                "Values": [value for _, value in here],
                "StatusCode": "Complete" if here[-1:] == one["points"][-1:] else "PartialData",
            }
        )
    answer = {"MetricDataResults": found, "Messages": []}
    return {**answer, "NextToken": token} if token else answer


def _check(query: Mapping[str, Any], name: str) -> None:
    if "Expression" in query:
        if metric_insights.is_query(query["Expression"]):
            if "Period" not in query:
                raise _required(f"{name}.Period")
            check_period(query["Period"], "ValidationError")
        return
    if "MetricStat" not in query:
        raise _required(f"{name}.MetricStat")
    metric = query["MetricStat"]["Metric"]
    for member in ("Namespace", "MetricName"):
        if not metric.get(member):
            raise _required(f"{name}.MetricStat.Metric.{member}")
    check_period(query["MetricStat"]["Period"], "ValidationError")


def _refuse_repeated(ids: Sequence[str]) -> None:
    repeated = sorted({each for each in ids if ids.count(each) > 1})
    if repeated:
        # The text is ours.
        raise _invalid(f"Ids of MetricDataQueries must be unique: {', '.join(repeated)}.")


def _in_order(expressions: Mapping[str, str]) -> list[str]:
    """Return the ids of expressions, each after those of the expressions that it uses."""
    used = {
        name: metric_math.names(text) & expressions.keys() for name, text in expressions.items()
    }
    try:
        return list(graphlib.TopologicalSorter(used).static_order())
    except graphlib.CycleError as error:
        # The text is ours.
        raise _invalid(f"Expressions use each other: {', '.join(error.args[1])}.") from error


def _measured(
    call: Call, asked: Mapping[str, Any], start: datetime, end: datetime
) -> metric_math.Series:
    computed = _computed(call, asked, start, end)
    if computed is not None:
        return computed
    found: metric_math.Series = {}
    merged: dict[datetime, list[Any]] = {}
    for unit, periods in buckets(call, asked["Metric"], start, end, asked["Period"]).items():
        if asked.get("Unit") in (None, unit):
            for moment, data in periods.items():
                merged.setdefault(moment, []).extend(data)
    for moment, data in merged.items():
        if has_statistic(data, asked["Stat"]):
            found[moment] = statistic(data, asked["Stat"])
    return found


def _computed(
    call: Call, asked: Mapping[str, Any], start: datetime, end: datetime
) -> metric_math.Series | None:
    """Return what GetMetricStatistics has of a metric of AWS; None for a metric that was put."""
    period, name = asked["Period"], asked["Stat"]
    request = {"StartTime": start, "EndTime": end, "Period": period, "Statistics": [name]}
    answer = computed_statistics(replace(call, parameters={**asked["Metric"], **request}))
    if answer is None:
        return None
    return {
        period_of(point["Timestamp"], start, end, period): float(point[name])
        for point in answer["Datapoints"]
        if name in point and asked.get("Unit") in (None, point["Unit"])
    }


def _label(query: Mapping[str, Any], queries: Sequence[Mapping[str, Any]]) -> str:
    """Return the label of a result: what differs between the metrics is added to the name."""
    if "MetricStat" not in query:
        return str(query["Id"])
    metrics = [each["MetricStat"] for each in queries if "MetricStat" in each]
    parts = [query["MetricStat"]["Metric"]["MetricName"]]
    for member in ("Stat", "Period"):
        if len({each[member] for each in metrics}) > 1:
            parts.append(str(query["MetricStat"][member]))
    return " ".join(parts)


def _required(name: str) -> AwsError:
    # As recorded on AWS, with the end of the line.
    return _invalid(f"The parameter {name} is required.\n")


def _invalid(message: str) -> AwsError:
    return AwsError("ValidationError", message)
