"""Capacity for sale and capacity that was bought: Spot's history, blocks, training plans."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from clusterwright.aws.errors import is_not_found
from clusterwright.aws.session import AwsSession

SPOT_HISTORY: Final = dt.timedelta(days=90)
"""What DescribeSpotPriceHistory keeps (EC2 API reference)."""

_OFFER_HOURS: Final = 24
"""The shortest block and plan; what is asked for is a price per hour, not the capacity."""


@dataclass(frozen=True)
class SpotHistory:
    """Linux Spot prices of a type in a zone over `SPOT_HISTORY`, USD per instance-hour."""

    latest_usd: Decimal
    latest: dt.datetime
    lowest_usd: Decimal
    highest_usd: Decimal
    changes: int


@dataclass(frozen=True)
class BoughtPlan:
    """A training plan as it was paid for. `upfront_fee_usd` is None where AWS does not say."""

    arn: str
    instances: int
    hours: Decimal
    upfront_fee_usd: Decimal | None
    start: dt.datetime | None
    end: dt.datetime | None


def spot_history(session: AwsSession, instance_type: str, zone_id: str) -> SpotHistory | None:
    """The history of one type in one zone; None where EC2 has none.

    Raises
    ------
    AwsUnavailable
        The question was not answered.
    """
    pages = session.pages(
        "ec2",
        "DescribeSpotPriceHistory",
        InstanceTypes=[instance_type],
        ProductDescriptions=["Linux/UNIX"],
        StartTime=dt.datetime.now(dt.UTC) - SPOT_HISTORY,
        Filters=[{"Name": "availability-zone-id", "Values": [zone_id]}],
    )
    found = [
        (entry["Timestamp"], usd)
        for page in pages
        for entry in page["SpotPriceHistory"]
        if (usd := _usd(entry.get("SpotPrice"))) is not None
    ]
    if not found:
        return None
    latest, usd = max(found)
    amounts = [amount for _, amount in found]
    return SpotHistory(usd, latest, min(amounts), max(amounts), len(found))


def training_plan_offer(session: AwsSession, instance_type: str) -> Decimal | None:
    """The lowest upfront fee per instance-hour of a plan of one instance for a day; None without.

    Raises
    ------
    AwsUnavailable
        The question was not answered.
    """
    answer = session.call(
        "sagemaker",
        "SearchTrainingPlanOfferings",
        InstanceType=f"ml.{instance_type}",
        InstanceCount=1,
        DurationHours=_OFFER_HOURS,
        TargetResources=["hyperpod-cluster"],
    )
    found = []
    for offer in answer.get("TrainingPlanOfferings") or ():
        fee, hours = _usd(offer.get("UpfrontFee")), _hours(offer)
        if fee is not None and hours and _in_usd(offer):
            found.append(fee / hours)
    return min(found, default=None)


def capacity_block_offer(session: AwsSession, instance_type: str) -> Decimal | None:
    """The lowest upfront fee per instance-hour of a block of one instance for a day.

    Raises
    ------
    AwsUnavailable
        The question was not answered.
    """
    found = []
    for page in session.pages(
        "ec2",
        "DescribeCapacityBlockOfferings",
        InstanceType=instance_type,
        InstanceCount=1,
        CapacityDurationHours=_OFFER_HOURS,
    ):
        for offer in page["CapacityBlockOfferings"]:
            fee = _usd(offer.get("UpfrontFee"))
            minutes = offer.get("CapacityBlockDurationMinutes") or 0
            hours = Decimal(offer.get("CapacityBlockDurationHours") or 0) + Decimal(minutes) / 60
            count = offer.get("InstanceCount") or 1
            if fee is not None and hours and _in_usd(offer):
                found.append(fee / hours / count)
    return min(found, default=None)


def bought_plan(session: AwsSession, arn: str) -> BoughtPlan | None:
    """What was bought under the ARN of a training plan; None where there is no such plan.

    Raises
    ------
    AwsUnavailable
        The question was not answered.
    """
    try:
        answer = session.call(
            "sagemaker", "DescribeTrainingPlan", TrainingPlanName=arn.rpartition("/")[2]
        )
    except Exception as error:
        if is_not_found(error):
            return None
        raise
    hours, count = _hours(answer), answer.get("TotalInstanceCount")
    if not hours or not count:
        return None
    fee = _usd(answer.get("UpfrontFee")) if _in_usd(answer) else None
    return BoughtPlan(arn, count, hours, fee, answer.get("StartTime"), answer.get("EndTime"))


def _hours(answer: Mapping[str, Any]) -> Decimal:
    return (
        Decimal(answer.get("DurationHours") or 0)
        + Decimal(answer.get("DurationMinutes") or 0) / 60
    )


def _in_usd(answer: Mapping[str, Any]) -> bool:
    return str(answer.get("CurrencyCode", "USD")) == "USD"


def _usd(text: Any) -> Decimal | None:
    try:
        amount = Decimal(str(text))
    except InvalidOperation:
        return None
    return amount if amount.is_finite() and amount > 0 else None
