"""Metrics Insights: SELECT expressions of GetMetricData.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch-metrics-insights-querylanguage.html
Conditions are equal or unequal values, all of which must hold; a metric without the label of a
condition or a group is left out. The texts of refusals are ours.
"""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import datetime
from typing import Any, Final

from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.cloudwatch.datapoints import collected, statistic
from clusterwright_localaws.services.cloudwatch.metric_math import Series

_STATISTICS: Final = {
    "AVG": "Average",
    "COUNT": "SampleCount",
    "MAX": "Maximum",
    "MIN": "Minimum",
    "SUM": "Sum",
}
_MOST_GROUPS: Final = 500
"""Time series of one query (page above, quotas)."""

_NAME: Final = r'(?:[A-Za-z_]\w*|"[^"]+")'
_NAMES: Final = rf"{_NAME}(?:\s*,\s*{_NAME})*"
_FUNCTION: Final = "|".join(_STATISTICS)
_CONDITION: Final = re.compile(rf"\s*(?P<key>{_NAME})\s*(?P<sign>=|!=)\s*'(?P<value>[^']*)'\s*")
_CONDITIONS: Final = rf"{_NAME}\s*!?=\s*'[^']*'(?:\s+AND\s+{_NAME}\s*!?=\s*'[^']*')*"
_QUERY: Final = re.compile(
    rf"\s*SELECT\s+(?P<function>{_FUNCTION})\s*\(\s*(?P<metric>{_NAME})\s*\)\s+FROM\s+"
    rf'(?:"(?P<namespace>[^"]+)"|SCHEMA\s*\(\s*"(?P<of_schema>[^"]+)"'
    rf"(?P<dimensions>(?:\s*,\s*{_NAME})*)\s*\))"
    rf"(?:\s+WHERE\s+(?P<where>{_CONDITIONS}))?(?:\s+GROUP\s+BY\s+(?P<group>{_NAMES}))?"
    rf"(?:\s+ORDER\s+BY\s+(?P<order>{_FUNCTION})\s*\(\s*\)(?:\s+(?P<way>ASC|DESC))?)?"
    r"(?:\s+LIMIT\s+(?P<limit>\d{1,9}))?\s*",
    re.IGNORECASE,
)


def is_query(expression: str) -> bool:
    """Return whether an expression is a query, and no arithmetic."""
    return expression.lstrip()[:7].upper().rstrip() == "SELECT"


def groups(
    call: Call, expression: str, start: datetime, end: datetime, period: int
) -> list[tuple[str | None, Series]]:
    """Return the results of a query: label and series of each group, None without GROUP BY.

    Raises
    ------
    AwsError
        ValidationError: the query is none that is implemented here.
    """
    found = _QUERY.fullmatch(expression)
    if found is None:
        raise AwsError(
            "ValidationError",
            f"The local AWS does not implement the query '{expression[:200]}'.",
        )
    part = found.groupdict()
    keys = _names(part["group"])
    data: dict[tuple[str, ...], list[Any]] = defaultdict(list)
    periods: dict[tuple[str, ...], dict[datetime, list[Any]]] = defaultdict(
        lambda: defaultdict(list)
    )
    namespace = part["namespace"] or part["of_schema"]
    schema = set(_names(part["dimensions"])) if part["of_schema"] else None
    for datum, pairs, begin in collected(
        call, namespace, part["metric"].strip('"'), start, end, period
    ):
        dimensions = dict(pairs)
        fits = schema is None or schema == dimensions.keys()
        if fits and _holds(part["where"], dimensions) and dimensions.keys() >= set(keys):
            group = tuple(dimensions[key] for key in keys)
            data[group].append(datum)
            periods[group][begin].append(datum)
    ordered = sorted(data)
    if part["order"]:
        by = _STATISTICS[part["order"].upper()]
        down = (part["way"] or "ASC").upper() == "DESC"
        ordered.sort(key=lambda group: statistic(data[group], by), reverse=down)
    name = _STATISTICS[part["function"].upper()]
    limit = min(int(part["limit"] or _MOST_GROUPS), _MOST_GROUPS)
    series = [
        (
            " ".join(group) if keys else None,
            {moment: statistic(each, name) for moment, each in periods[group].items()},
        )
        for group in ordered[:limit]
    ]
    return series if series or keys else [(None, {})]


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(name.strip('"') for name in re.findall(_NAME, text or ""))


def _holds(where: str | None, dimensions: dict[str, str]) -> bool:
    for found in _CONDITION.finditer(where or ""):
        key = found["key"].strip('"')
        equal = dimensions.get(key) == found["value"]
        if key not in dimensions or equal != (found["sign"] == "="):
            return False
    return True
