"""Tests of services.ec2.block_extensions."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from clusterwright.catalog import Known, load_catalog
from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.parts import client, refusal

P5 = "p5.48xlarge"


def offerings(**more: Any) -> list[dict[str, Any]]:
    request = {"InstanceType": P5, "InstanceCount": 2, "CapacityDurationHours": 48, **more}
    request = {key: value for key, value in request.items() if value is not None}
    answer = client("ec2").describe_capacity_block_offerings(**request)
    found: list[dict[str, Any]] = answer["CapacityBlockOfferings"]
    return found


def buy(offering: dict[str, Any], **more: Any) -> dict[str, Any]:
    answer: dict[str, Any] = client("ec2").purchase_capacity_block(
        CapacityBlockOfferingId=offering["CapacityBlockOfferingId"],
        InstancePlatform="Linux/UNIX",
        **more,
    )
    return answer


def reservation() -> dict[str, Any]:
    (found,) = client("ec2").describe_capacity_reservations()["CapacityReservations"]
    one: dict[str, Any] = found
    return one


def tomorrow() -> dt.datetime:
    day = dt.datetime.now(dt.UTC) + dt.timedelta(days=1)
    return day.replace(hour=11, minute=30, second=0, microsecond=0)


class TestExtensions:
    def extend(self, hours: int = 24) -> list[dict[str, Any]]:
        answer = client("ec2").describe_capacity_block_extension_offerings(
            CapacityReservationId=reservation()["CapacityReservationId"],
            CapacityBlockExtensionDurationHours=hours,
        )
        found: list[dict[str, Any]] = answer["CapacityBlockExtensionOfferings"]
        return found

    def purchase(self, offering: dict[str, Any]) -> dict[str, Any]:
        answer = client("ec2").purchase_capacity_block_extension(
            CapacityBlockExtensionOfferingId=offering["CapacityBlockExtensionOfferingId"],
            CapacityReservationId=reservation()["CapacityReservationId"],
        )
        (found,) = answer["CapacityBlockExtensions"]
        one: dict[str, Any] = found
        return one

    def test_paid_extension_moves_the_end(self) -> None:
        with local_aws(delays={"payment": 60}) as aws:
            buy(offerings(StartDateRange=tomorrow())[0])
            aws.clock.advance(61)
            before = reservation()["EndDate"]
            (offering,) = self.extend(72)
            price = load_catalog().instance_price(P5, "us-east-1", "capacity-block")
            assert isinstance(price, Known)
            assert Decimal(offering["UpfrontFee"]) == round(price.value.usd * 2 * 72, 2)
            assert self.purchase(offering)["CapacityBlockExtensionStatus"] == "payment-pending"
            assert reservation()["EndDate"] == before
            assert refusal(lambda **_: self.extend())[0] == "IncorrectState"
            aws.clock.advance(61)
            assert reservation()["EndDate"] == before + dt.timedelta(hours=72)
            (past,) = client("ec2").describe_capacity_block_extension_history()[
                "CapacityBlockExtensions"
            ]
            assert past["CapacityBlockExtensionStatus"] == "payment-succeeded"
            filters = [{"Name": "capacity-block-extension-status", "Values": ["payment-failed"]}]
            assert (
                client("ec2").describe_capacity_block_extension_history(Filters=filters)[
                    "CapacityBlockExtensions"
                ]
                == []
            )

    def test_extension_is_refused_where_documented(self, aws: Runtime) -> None:
        buy(offerings(CapacityDurationHours=24, StartDateRange=tomorrow())[0])
        assert refusal(lambda **_: self.extend(25))[0] == "InvalidParameterValue"
        assert self.extend(4368) == []  # more than 182 days in all
        end = reservation()["EndDate"]
        aws.clock.advance((end - dt.datetime.now(dt.UTC)).total_seconds() - 1800)
        assert self.extend() == []  # less than an hour before the end
        aws.clock.advance(3600)
        assert refusal(lambda **_: self.extend())[0] == "IncorrectState"

    @pytest.mark.usefixtures("aws")
    def test_extension_offering_is_valid_only_for_its_block(self) -> None:
        buy(offerings(StartDateRange=tomorrow())[0])
        (extension,) = self.extend()
        other = offerings(StartDateRange=tomorrow())[0]
        item = {"CapacityBlockExtensionOfferingId": other["CapacityBlockOfferingId"]}
        assert refusal(lambda **_: self.purchase(item))[0] == (
            "InvalidCapacityBlockOfferingIdNotFound"
        )
        two = {"CapacityBlockOfferingId": extension["CapacityBlockExtensionOfferingId"]}
        assert refusal(lambda **_: buy(two))[0] == "InvalidCapacityBlockOfferingIdNotFound"
        first = reservation()["CapacityReservationId"]
        buy(other)
        second = next(
            found["CapacityReservationId"]
            for found in client("ec2").describe_capacity_reservations()["CapacityReservations"]
            if found["CapacityReservationId"] != first
        )
        found = refusal(
            client("ec2").purchase_capacity_block_extension,
            CapacityBlockExtensionOfferingId=extension["CapacityBlockExtensionOfferingId"],
            CapacityReservationId=second,
        )
        assert found[0] == "InvalidCapacityBlockOfferingIdNotFound"

    def test_extension_of_another_reservation_is_refused(self) -> None:
        seed = {
            "id": "cr-0123456789abcdef0",
            "instance_type": P5,
            "zone_id": "use1-az6",
            "instance_count": 1,
        }
        with local_aws(capacity_reservations=[seed]):
            assert refusal(lambda **_: self.extend())[0] == "InvalidParameterValue"

    def test_following_block_reduces_the_offered_capacity(self) -> None:
        zones = ["use1-az1", "use1-az2", "use1-az3", "use1-az4", "use1-az5"]
        with local_aws(capacity=[{"instance_type": P5, "available": 2}], not_offered={P5: zones}):
            first = offerings(CapacityDurationHours=24, StartDateRange=tomorrow())[0]
            buy(first)
            assert len(self.extend()) == 1
            (offering,) = self.extend()
            following = offerings(CapacityDurationHours=24, StartDateRange=first["EndDate"])[0]
            ec2 = client("ec2")
            buy(following)
            item = next(
                found["CapacityReservationId"]
                for found in ec2.describe_capacity_reservations()["CapacityReservations"]
                if found["EndDate"] == first["EndDate"]
            )
            assert (
                ec2.describe_capacity_block_extension_offerings(
                    CapacityReservationId=item, CapacityBlockExtensionDurationHours=24
                )["CapacityBlockExtensionOfferings"]
                == []
            )
            found = refusal(
                ec2.purchase_capacity_block_extension,
                CapacityBlockExtensionOfferingId=offering["CapacityBlockExtensionOfferingId"],
                CapacityReservationId=item,
            )
            assert found[0] == "InvalidCapacityBlockOfferingIdExpired"
