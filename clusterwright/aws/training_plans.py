"""Offered and purchased training plans."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from clusterwright.aws.errors import none_if_not_found
from clusterwright.aws.session import AwsSession
from clusterwright.aws.values import is_usd, usd_amount

_OFFER_HOURS: Final = 24
"""The shortest plan, because only its price per hour is needed."""


@dataclass(frozen=True)
class BoughtPlan:
    """A purchased training plan. `upfront_fee_usd` is None if AWS does not return it."""

    arn: str
    instances: int
    hours: Decimal
    upfront_fee_usd: Decimal | None
    start: dt.datetime | None
    end: dt.datetime | None


def training_plan_offer(session: AwsSession, instance_type: str) -> Decimal | None:
    """Return the lowest upfront fee per instance-hour of a one-day plan of one instance.

    None without an offer.

    Raises
    ------
    AwsUnavailable
        AWS did not answer.
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
        fee, hours = usd_amount(offer.get("UpfrontFee")), _hours(offer)
        if fee is not None and hours and is_usd(offer):
            found.append(fee / hours)
    return min(found, default=None)


@none_if_not_found()
def bought_plan(session: AwsSession, arn: str) -> BoughtPlan | None:
    """Return what was paid for a training plan, None if it does not exist or has no length.

    Raises
    ------
    AwsUnavailable
        AWS did not answer.
    """
    answer = session.call(
        "sagemaker", "DescribeTrainingPlan", TrainingPlanName=arn.rpartition("/")[2]
    )
    hours, count = _hours(answer), answer.get("TotalInstanceCount")
    if not hours or not count:
        return None
    fee = usd_amount(answer.get("UpfrontFee")) if is_usd(answer) else None
    return BoughtPlan(arn, count, hours, fee, answer.get("StartTime"), answer.get("EndTime"))


def _hours(answer: Mapping[str, Any]) -> Decimal:
    return (
        Decimal(answer.get("DurationHours") or 0)
        + Decimal(answer.get("DurationMinutes") or 0) / 60
    )
