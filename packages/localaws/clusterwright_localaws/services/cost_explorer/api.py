"""Cost Explorer over the world's spending (`costs`).

https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_GetCostAndUsage.html
https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_GetCostForecast.html

Resources here cost nothing: without the world's `costs` every amount is 0. Future days are the
forecast. Every metric of cost is the same amount.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError, ForwardToMoto
from clusterwright_localaws.core.pagination import paged
from clusterwright_localaws.services.cost_explorer.spending import (
    DAY,
    Spent,
    group_key,
    matcher,
    spending,
)

_METRICS = {
    "AmortizedCost": "USD",
    "BlendedCost": "USD",
    "NetAmortizedCost": "USD",
    "NetUnblendedCost": "USD",
    "UnblendedCost": "USD",
    "NormalizedUsageAmount": "N/A",
    "UsageQuantity": "N/A",
}
_MOST_GROUPS = 2
# The message to users is "You haven't enabled historical data beyond 14 months".
_MONTHS_KEPT = 14


@operation("ce", "GetCostAndUsage")
def get_cost_and_usage(call: Call) -> Mapping[str, Any]:
    """Answer amounts by period and group; results that a test queued in moto come first."""
    backend = moto_state.backend("ce", call.account, "aws")
    if not call.world.costs and (backend.cost_usage_results_queue or backend.cost_usage_results):
        raise ForwardToMoto
    request = call.parameters
    start, end = _period(call)
    granularity = _granularity(request["Granularity"])
    metrics, groups = list(request["Metrics"]), list(request.get("GroupBy") or ())
    for metric in metrics:
        if metric not in _METRICS:
            raise _invalid(f"Metrics: {metric} is not one of {', '.join(sorted(_METRICS))}")
    if not metrics:
        raise _invalid("Metrics: at least one is needed")
    if len(groups) > _MOST_GROUPS:
        raise _invalid(f"Group by at most {_MOST_GROUPS} keys.")
    passes, tomorrow = matcher(request.get("Filter")), call.now.date() + DAY
    found = [
        item
        for item in spending(call.runtime, call.account, start, min(end, tomorrow))
        if passes(item)
    ]
    results = []
    for first, last in _periods(start, end, granularity):
        inside = [entry for entry in found if first <= entry.day < last]
        result: dict[str, Any] = {
            "TimePeriod": {"Start": first.isoformat(), "End": last.isoformat()},
            "Total": {} if groups else _amounts(inside, metrics),
            "Groups": _grouped(inside, groups, metrics) if groups else [],
            # A month is estimated until its bill is issued.
            "Estimated": last > call.now.date().replace(day=1),
        }
        results.append(result)
    answer: dict[str, Any] = {"ResultsByTime": results, "DimensionValueAttributes": []}
    if groups:
        answer["GroupDefinitions"] = groups
    return answer


@operation("ce", "GetCostForecast")
def get_cost_forecast(call: Call) -> Mapping[str, Any]:
    """Answer the sum of the world's future spending, without a prediction interval."""
    request = call.parameters
    start, end = _period(call)
    today = call.now.date()
    if start < today:
        raise _invalid("Start time can not be before the current date.")
    granularity = _granularity(request["Granularity"])
    passes = matcher(request.get("Filter"))
    found = [item for item in spending(call.runtime, call.account, start, end) if passes(item)]
    if not found:
        raise AwsError(
            "DataUnavailableException",
            "Insufficient amount of historical data to generate forecast.",
        )
    return {
        "Total": {"Amount": _text(sum((entry.usd for entry in found), Decimal(0))), "Unit": "USD"},
        "ForecastResultsByTime": [
            {
                "TimePeriod": {"Start": first.isoformat(), "End": last.isoformat()},
                "MeanValue": _text(
                    sum((entry.usd for entry in found if first <= entry.day < last), Decimal(0))
                ),
            }
            for first, last in _periods(start, end, granularity)
        ],
    }


@operation("ce", "GetDimensionValues")
def get_dimension_values(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    start, end = _period(call)
    passes, search = matcher(request.get("Filter")), str(request.get("SearchString") or "")
    values = sorted(
        {
            item.dimensions[request["Dimension"]]
            for item in spending(call.runtime, call.account, start, end)
            if request["Dimension"] in item.dimensions and passes(item)
        }
    )
    found = [value for value in values if search.lower() in value.lower()]
    return {
        "DimensionValues": [{"Value": value, "Attributes": {}} for value in found],
        "ReturnSize": len(found),
        "TotalSize": len(found),
    }


@operation("ce", "GetTags")
def get_tags(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    start, end = _period(call)
    key, passes = request.get("TagKey"), matcher(request.get("Filter"))
    found: set[str] = set()
    for item in spending(call.runtime, call.account, start, end):
        if passes(item):
            found.update(item.tags if key is None else {item.tags.get(key, "")})
    search = str(request.get("SearchString") or "").lower()
    tags = sorted(value for value in found if search in value.lower())
    return {"Tags": tags, "ReturnSize": len(tags), "TotalSize": len(tags)}


@operation("ce", "ListCostAllocationTags")
def list_cost_allocation_tags(call: Call) -> Mapping[str, Any]:
    """Answer every tag of the world's costs, as active: only active tags are on costs."""
    request = call.parameters
    requested, status, kind = request.get("TagKeys"), request.get("Status"), request.get("Type")
    now = call.now
    keys = sorted(
        {
            key
            for seed in call.world.costs
            if call.account in (seed.account or call.account, call.world.account)
            for key in seed.tags
        }
    )
    found = [
        {
            "TagKey": key,
            "Type": "AWSGenerated" if key.startswith("aws:") else "UserDefined",
            "Status": "Active",
            "LastUpdatedDate": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "LastUsedDate": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
        for key in keys
        if not requested or key in requested
    ]
    found = [item for item in found if kind in (None, item["Type"]) and status in (None, "Active")]
    return paged(
        call,
        "CostAllocationTags",
        found,
        maximum=1000,
        stale_page_code="InvalidNextTokenException",
    )


def _period(call: Call) -> tuple[dt.date, dt.date]:
    """Return the dates of a request: the start is inclusive, the end exclusive."""
    request = call.parameters["TimePeriod"]
    start, end = _date(request["Start"]), _date(request["End"])
    if start >= end:
        raise _invalid(f"Start date (and hour) should be before end date (and hour): {request}")
    today = call.now.date()
    months = (today.year - start.year) * 12 + today.month - start.month
    if months > _MONTHS_KEPT:
        raise _invalid("You haven't enabled historical data beyond 14 months")
    return start, end


def _date(text: str) -> dt.date:
    try:
        return dt.date.fromisoformat(text[:10])
    except ValueError:
        raise _invalid(f"{text!r} is not a date (yyyy-MM-dd)") from None


def _granularity(granularity: str) -> str:
    if granularity == "HOURLY":
        raise _invalid("the local AWS has no hourly costs; use DAILY or MONTHLY")
    return granularity


def _periods(start: dt.date, end: dt.date, granularity: str) -> list[tuple[dt.date, dt.date]]:
    found, first = [], start
    while first < end:
        following = (first.replace(day=1) + dt.timedelta(days=32)).replace(day=1)
        last = min(end, following if granularity == "MONTHLY" else first + DAY)
        found.append((first, last))
        first = last
    return found


def _grouped(
    found: list[Spent], groups: list[Mapping[str, str]], metrics: list[str]
) -> list[dict[str, Any]]:
    by_key: dict[tuple[str, ...], list[Spent]] = {}
    for item in found:
        by_key.setdefault(group_key(item, groups), []).append(item)
    return [
        {"Keys": list(key), "Metrics": _amounts(inside, metrics)}
        for key, inside in sorted(by_key.items())
    ]


def _amounts(found: list[Spent], metrics: list[str]) -> dict[str, dict[str, str]]:
    usd = sum((item.usd for item in found), Decimal(0))
    quantity = sum((item.quantity for item in found), Decimal(0))
    return {
        metric: {
            "Amount": _text(usd if _METRICS[metric] == "USD" else quantity),
            "Unit": _METRICS[metric],
        }
        for metric in metrics
    }


def _text(amount: Decimal) -> str:
    return f"{amount.normalize():f}" if amount else "0"


def _invalid(message: str) -> AwsError:
    return AwsError("ValidationException", message)
