"""Datapoints of metrics, computed from the data that moto keeps.

A metric is its namespace, its name and all its dimensions: data with other dimensions are another
metric's. Periods begin at the start that is asked for, rounded down.
https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricStatistics.html
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.sagemaker.events import aware

NO_UNIT: Final = "None"
_MINUTE: Final = 60
_PERCENTILE: Final = re.compile(r"p(\d{1,2}(?:\.\d{1,10})?|100)")


def buckets(
    call: Call, metric: Mapping[str, Any], start: datetime, end: datetime, period: int
) -> dict[str, dict[datetime, list[Any]]]:
    """Return moto's data of a metric by their unit and the start of their period."""
    dimensions = sorted((each["Name"], each["Value"]) for each in metric.get("Dimensions", ()))
    name, namespace = metric.get("MetricName"), metric.get("Namespace")
    found: dict[str, dict[datetime, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for datum, here, begin in collected(call, namespace, name, start, end, period):
        if here == dimensions:
            found[str(datum.unit or NO_UNIT)][begin].append(datum)
    return found


def collected(
    call: Call,
    namespace: str | None,
    name: str | None,
    start: datetime,
    end: datetime,
    period: int,
) -> Iterator[tuple[Any, list[tuple[str, str]], datetime]]:
    """Yield moto's data of a name with any dimensions: each with those and its period's start."""
    first, last = rounded_down(aware(start), period), aware(end)
    backend = moto_state.backend("cloudwatch", call.account, call.region)
    for datum in backend.get_all_metrics():
        if datum.name != name or datum.namespace != namespace:
            continue
        moment = aware(datum.timestamp)
        if first <= moment < last:
            dimensions = sorted((each.name, each.value) for each in datum.dimensions)
            yield datum, dimensions, _begin(moment, first, period)


def period_of(moment: datetime, start: datetime, end: datetime, period: int) -> datetime:
    """Return the start of a moment's period; that of the first or last one for another moment."""
    first, last = rounded_down(aware(start), period), aware(end) - timedelta(microseconds=1)
    return _begin(max(first, min(aware(moment), last)), first, period)


def _begin(moment: datetime, first: datetime, period: int) -> datetime:
    number = int((moment - first).total_seconds()) // period
    return first + timedelta(seconds=number * period)


def rounded_down(moment: datetime, period: int) -> datetime:
    """Return the start of the first period: a whole minute, or whole periods below a minute."""
    step = min(period, _MINUTE)
    seconds = int(moment.timestamp()) // step * step
    return datetime.fromtimestamp(seconds, UTC)


def statistic(data: Iterable[Any], name: str) -> float:
    """Return one statistic of data: a sum, an extreme, an average, a count or a percentile.

    Raises
    ------
    AwsError
        InvalidParameterValue: the statistic is none that is implemented here.
    """
    items = list(data)
    aggregated = [each for each in items if not hasattr(each, "value")]
    values = [float(each.value) for each in items if hasattr(each, "value")]
    count = len(values) + sum(each.sample_count for each in aggregated)
    total = sum(values) + sum(each.sum for each in aggregated)
    if name == "SampleCount":
        return float(count)
    if name == "Sum":
        return float(total)
    if name == "Average":
        return float(total / count) if count else 0.0
    if name == "Minimum":
        return float(min([*values, *(each.min for each in aggregated)]))
    if name == "Maximum":
        return float(max([*values, *(each.max for each in aggregated)]))
    found = _PERCENTILE.fullmatch(name)
    if found is None:
        raise AwsError(
            "InvalidParameterValue", f"The local AWS does not implement the statistic {name}."
        )
    return _percentile(values, float(found.group(1)))


def has_statistic(data: Iterable[Any], name: str) -> bool:
    """Return whether data have a statistic: sets of statistics have no percentiles."""
    return not name.startswith("p") or any(hasattr(each, "value") for each in data)


def _percentile(values: list[float], percent: float) -> float:
    """Return a percentile, between the two values next to it; AWS documents no method."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * percent / 100
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
