"""Tests of services.ec2.spot_prices."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import client, refusal

P5 = "p5.48xlarge"


ZONE, ZONE_ID = "us-east-1a", "use1-az6"


class TestSpotPrices:
    PRICES = [  # noqa: RUF012
        {"instance_type": P5, "zone_id": ZONE_ID, "usd": "11.50", "since": "-10d"},
        {"instance_type": P5, "zone_id": ZONE_ID, "usd": "12.25", "since": "-1d"},
        {"instance_type": P5, "zone_id": "use1-az2", "usd": "13", "since": "-2d"},
    ]

    def history(self, **more: Any) -> list[str]:
        found = client("ec2").describe_spot_price_history(**more)["SpotPriceHistory"]
        return [item["SpotPrice"] for item in found]

    @pytest.mark.usefixtures("aws")
    def test_no_spot_price_without_data(self) -> None:
        assert self.history(InstanceTypes=[P5]) == []

    def test_spot_prices_of_the_world_are_returned(self) -> None:
        now = dt.datetime.now(dt.UTC)
        with local_aws(spot_prices=self.PRICES):
            assert self.history() == ["12.25", "13", "11.50"]
            assert self.history(AvailabilityZone=ZONE) == ["12.25", "11.50"]
            assert self.history(InstanceTypes=["p4d.24xlarge"]) == []
            assert self.history(ProductDescriptions=["Windows"]) == []
            assert self.history(ProductDescriptions=["Linux/UNIX (Amazon VPC)"])
            # The current price: only the last one.
            assert self.history(StartTime=now, AvailabilityZoneId=ZONE_ID) == ["12.25"]
            assert self.history(EndTime=now - dt.timedelta(days=5)) == ["11.50"]
            assert self.history(Filters=[{"Name": "spot-price", "Values": ["11.*"]}]) == ["11.50"]
            pages = client("ec2").get_paginator("describe_spot_price_history")
            sizes = [
                len(page["SpotPriceHistory"])
                for page in pages.paginate(PaginationConfig={"PageSize": 2})
            ]
            assert sizes == [2, 1]

    def test_a_zone_name_and_id_together_are_refused(self) -> None:
        with local_aws(spot_prices=self.PRICES):
            found = refusal(
                lambda **_: self.history(AvailabilityZone=ZONE, AvailabilityZoneId=ZONE_ID)
            )
            assert found[0] == "InvalidParameterCombination"
