"""Cost Explorer: costs of the resources with a tag, by service and day."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from clusterwright.aws.session import AwsSession

# Cost Explorer has one endpoint per partition (AWS General Reference).
_REGIONS: Final = {"aws": "us-east-1", "aws-cn": "cn-northwest-1"}
_NOT_USAGE: Final = ["Credit", "Refund", "Tax"]


@dataclass(frozen=True)
class Costs:
    """Costs in USD by service (unblended, without credits, refunds and taxes), and by day.

    `days` has the costs by service of each day that has any; `estimated_days` are those that Cost
    Explorer marks as estimated.
    """

    by_service: Mapping[str, Decimal]
    days: Mapping[dt.date, Mapping[str, Decimal]]
    estimated_days: frozenset[dt.date] = frozenset()

    @property
    def by_day(self) -> Mapping[dt.date, Decimal]:
        return {day: sum(own.values(), Decimal(0)) for day, own in self.days.items()}

    @property
    def estimated(self) -> bool:
        return bool(self.estimated_days)


def costs(
    session: AwsSession,
    partition: str,
    start: dt.date,
    end: dt.date,
    tag: str,
    value: str | None,
) -> Costs:
    """Return the costs with a tag value, or without the tag (None), from `start` until before
    `end`.

    Raises
    ------
    AwsUnavailable
        The request failed.
    """
    tagged: dict[str, Any] = {"Key": tag, "Values": [value]}
    if value is None:
        tagged = {"Key": tag, "MatchOptions": ["ABSENT"]}
    usage = {"Not": {"Dimensions": {"Key": "RECORD_TYPE", "Values": _NOT_USAGE}}}
    by_service: dict[str, Decimal] = {}
    days: dict[dt.date, dict[str, Decimal]] = {}
    estimated: set[dt.date] = set()
    for answer in _pages(
        session,
        partition,
        "GetCostAndUsage",
        TimePeriod={"Start": start.isoformat(), "End": end.isoformat()},
        Granularity="DAILY",
        Metrics=["UnblendedCost"],
        GroupBy=[{"Type": "DIMENSION", "Key": "SERVICE"}],
        Filter={"And": [{"Tags": tagged}, usage]},
    ):
        for period in answer["ResultsByTime"]:
            day = dt.date.fromisoformat(period["TimePeriod"]["Start"][:10])
            for group in period["Groups"]:
                usd = Decimal(group["Metrics"]["UnblendedCost"]["Amount"])
                if usd:
                    service = str(group["Keys"][0])
                    by_service[service] = by_service.get(service, Decimal(0)) + usd
                    own = days.setdefault(day, {})
                    own[service] = own.get(service, Decimal(0)) + usd
                    if period.get("Estimated"):
                        estimated.add(day)
    return Costs(by_service, days, frozenset(estimated))


def tag_status(session: AwsSession, partition: str, tag: str) -> str | None:
    """Return the cost allocation status `Active` or `Inactive`; None if unknown to Cost Explorer.

    Raises
    ------
    AwsUnavailable
        The request failed.
    """
    for answer in _pages(session, partition, "ListCostAllocationTags", TagKeys=[tag]):
        for entry in answer["CostAllocationTags"]:
            if entry["TagKey"] == tag:
                return str(entry["Status"])
    return None


def _pages(
    session: AwsSession, partition: str, operation: str, **parameters: Any
) -> Iterator[Mapping[str, Any]]:
    region = _REGIONS.get(partition, _REGIONS["aws"])
    yield from session.pages("ce", operation, region=region, **parameters)
