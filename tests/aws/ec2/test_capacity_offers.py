"""Spot prices and offers of Capacity Blocks."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

from botocore.stub import ANY, Stubber

from clusterwright.aws.ec2 import capacity_offers
from clusterwright.aws.session import AwsSession

DAY = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)
SPOT = {
    "InstanceTypes": ["p5.48xlarge"],
    "ProductDescriptions": ["Linux/UNIX"],
    "StartTime": ANY,
    "Filters": [{"Name": "availability-zone-id", "Values": ["use1-az6"]}],
}
BLOCK = {"InstanceType": "p5.48xlarge", "InstanceCount": 1, "CapacityDurationHours": 24}


def price(day: int, usd: str) -> dict[str, Any]:
    return {"Timestamp": DAY + dt.timedelta(days=day), "SpotPrice": usd}


def test_the_history_of_spot_prices(session: AwsSession) -> None:
    with Stubber(session.client("ec2")) as stub:
        stub.add_response(
            "describe_spot_price_history",
            {"SpotPriceHistory": [price(1, "20.5"), price(3, "25")], "NextToken": "more"},
            SPOT,
        )
        stub.add_response(
            "describe_spot_price_history",
            {"SpotPriceHistory": [price(2, "31"), price(4, "")]},
            {**SPOT, "NextToken": "more"},
        )
        found = capacity_offers.spot_history(session, "p5.48xlarge", "use1-az6")
    assert found == capacity_offers.SpotHistory(
        Decimal(25), DAY + dt.timedelta(days=3), Decimal("20.5"), Decimal(31), 3
    )


def test_no_history(session: AwsSession) -> None:
    with Stubber(session.client("ec2")) as stub:
        stub.add_response("describe_spot_price_history", {"SpotPriceHistory": []}, SPOT)
        assert capacity_offers.spot_history(session, "p5.48xlarge", "use1-az6") is None


def test_the_lowest_price_of_an_instance_hour_in_a_block(session: AwsSession) -> None:
    offers = [
        {"UpfrontFee": "2400", "CapacityBlockDurationHours": 24, "InstanceCount": 1},
        {"UpfrontFee": "2350", "CapacityBlockDurationMinutes": 1410, "InstanceCount": 2},
        {"UpfrontFee": "24", "CapacityBlockDurationHours": 24, "CurrencyCode": "CNY"},
        {"UpfrontFee": "10"},
    ]
    with Stubber(session.client("ec2")) as stub:
        stub.add_response(
            "describe_capacity_block_offerings", {"CapacityBlockOfferings": offers}, BLOCK
        )
        assert capacity_offers.capacity_block_offer(session, "p5.48xlarge") == 50


def test_no_block(session: AwsSession) -> None:
    with Stubber(session.client("ec2")) as stub:
        stub.add_response(
            "describe_capacity_block_offerings", {"CapacityBlockOfferings": []}, BLOCK
        )
        assert capacity_offers.capacity_block_offer(session, "p5.48xlarge") is None
