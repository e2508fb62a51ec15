"""Spot price history and capacity block offerings."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from clusterwright.aws.session import AwsSession
from clusterwright.aws.values import is_usd, usd_amount

SPOT_HISTORY: Final = dt.timedelta(days=90)
"""The retention of DescribeSpotPriceHistory (EC2 API reference)."""

_OFFER_HOURS: Final = 24
"""The shortest block, because only its price per hour is needed."""


@dataclass(frozen=True)
class SpotHistory:
    """Linux Spot prices of a type in a zone over `SPOT_HISTORY`, USD per instance-hour."""

    latest_usd: Decimal
    latest: dt.datetime
    lowest_usd: Decimal
    highest_usd: Decimal
    changes: int


def spot_history(session: AwsSession, instance_type: str, zone_id: str) -> SpotHistory | None:
    """Return the history of a type in a zone, None if EC2 has none.

    Raises
    ------
    AwsUnavailable
        AWS did not answer.
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
        if (usd := usd_amount(entry.get("SpotPrice"))) is not None
    ]
    if not found:
        return None
    latest, usd = max(found)
    amounts = [amount for _, amount in found]
    return SpotHistory(usd, latest, min(amounts), max(amounts), len(found))


def capacity_block_offer(session: AwsSession, instance_type: str) -> Decimal | None:
    """Return the lowest upfront fee per instance-hour of a one-day block of one instance.

    None without an offering.

    Raises
    ------
    AwsUnavailable
        AWS did not answer.
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
            fee = usd_amount(offer.get("UpfrontFee"))
            minutes = offer.get("CapacityBlockDurationMinutes") or 0
            hours = Decimal(offer.get("CapacityBlockDurationHours") or 0) + Decimal(minutes) / 60
            count = offer.get("InstanceCount") or 1
            if fee is not None and hours and is_usd(offer):
                found.append(fee / hours / count)
    return min(found, default=None)
