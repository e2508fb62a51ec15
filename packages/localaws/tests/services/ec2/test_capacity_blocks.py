"""Capacity blocks: offerings, prices, states, extensions."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.parts import client, refusal

DAY = 86_400
P5 = "p5.48xlarge"
P5_BLOCKS = "ec2/L-DA6814F2"  # Concurrent P5 Capacity Blocks per account, in vCPUs


def offerings(**more: Any) -> list[dict[str, Any]]:
    request = {"InstanceType": P5, "InstanceCount": 2, "CapacityDurationHours": 48, **more}
    request = {key: value for key, value in request.items() if value is not None}
    answer = client("ec2").describe_capacity_block_offerings(**request)
    found: list[dict[str, Any]] = answer["CapacityBlockOfferings"]
    return found


def refused(**more: Any) -> str:
    return refusal(lambda **_: offerings(**more))[0]


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


class TestWorlds:
    def test_world_without_offerings_has_none(self) -> None:
        with local_aws(capacity_block_offerings="none"):
            assert offerings() == []

    def test_capacity_of_the_zone_limits_offerings(self) -> None:
        room = [{"instance_type": P5, "available": 1}]
        with local_aws(capacity=room):
            assert offerings() == []
            assert offerings(InstanceCount=1)

    def test_a_bought_offering_is_no_longer_available(self) -> None:
        room = [{"instance_type": P5, "available": 3}]
        with local_aws(capacity=room, not_offered={P5: ["use1-az2", "use1-az4", "use1-az5"]}):
            first, *rest = offerings(StartDateRange=tomorrow())
            buy(first)
            there = [
                offering
                for offering in offerings(StartDateRange=tomorrow())
                if offering["AvailabilityZone"] == first["AvailabilityZone"]
                and offering["StartDate"] < first["EndDate"]
            ]
            assert there == []
            same = next(
                (
                    item
                    for item in rest
                    if item["AvailabilityZone"] == first["AvailabilityZone"]
                    and item["StartDate"] < first["EndDate"]
                ),
                None,
            )
            if same is not None:
                found = refusal(lambda **_: buy(same))
                assert found[0] == "InvalidCapacityBlockOfferingIdExpired"

    def test_quota_of_zero_refuses_the_search(self) -> None:
        with local_aws("new-account"):
            assert refused() == "CapacityBlockDescribeLimitExceeded"

    def test_the_quota_of_a_family_is_in_vcpus(self) -> None:
        with local_aws(quotas={P5_BLOCKS: 3 * 192}):
            one, other = offerings(StartDateRange=tomorrow())[:2]
            buy(one)
            found = refusal(lambda **_: buy(other))
            assert found[0] == "ResourceLimitExceeded"
            assert "576" in found[1]

    def test_at_most_256_instances_are_in_blocks(self) -> None:
        with local_aws():
            for _ in range(4):
                buy(offerings(InstanceCount=64)[0])
            offering = offerings(InstanceCount=1)[0]
            assert refusal(lambda **_: buy(offering))[0] == "ResourceLimitExceeded"


class TestLife:
    def test_block_is_paid_scheduled_active_and_expired(self, aws: Runtime) -> None:
        bought = buy(
            offerings(StartDateRange=tomorrow())[0],
            TagSpecifications=[
                {"ResourceType": "capacity-reservation", "Tags": [{"Key": "team", "Value": "ml"}]}
            ],
        )
        assert bought["CapacityReservation"]["State"] == "payment-pending"
        assert bought["CapacityBlocks"][0]["State"] == "payment-pending"
        item = reservation()
        assert item["State"] == "scheduled"
        assert item["ReservationType"] == "capacity-block"
        assert item["InstanceMatchCriteria"] == "targeted"
        assert item["Tags"] == [{"Key": "team", "Value": "ml"}]
        (block,) = client("ec2").describe_capacity_blocks()["CapacityBlocks"]
        assert block["CapacityReservationIds"] == [item["CapacityReservationId"]]
        assert block["CapacityBlockId"] == item["CapacityBlockId"]
        aws.clock.advance(2 * DAY)
        assert reservation()["State"] == "active"
        assert reservation()["AvailableInstanceCount"] == 2
        aws.clock.advance(3 * DAY)
        assert reservation()["State"] == "expired"
        assert reservation()["AvailableInstanceCount"] == 0
        (block,) = client("ec2").describe_capacity_blocks()["CapacityBlocks"]
        assert block["State"] == "expired"

    def test_payment_takes_its_delay(self) -> None:
        with local_aws(delays={"payment": 60}) as aws:
            buy(offerings(StartDateRange=tomorrow())[0])
            assert reservation()["State"] == "payment-pending"
            aws.clock.advance(61)
            assert reservation()["State"] == "scheduled"

    @pytest.mark.usefixtures("aws")
    def test_offering_can_be_purchased_once(self) -> None:
        offering = offerings()[0]
        buy(offering)
        assert refusal(lambda **_: buy(offering))[0] == "InvalidCapacityBlockOfferingIdExpired"

    def test_offering_with_a_past_start_is_refused(self, aws: Runtime) -> None:
        offering = offerings()[0]
        aws.clock.advance(2 * DAY)
        assert refusal(lambda **_: buy(offering))[0] == "InvalidCapacityBlockOfferingIdExpired"

    @pytest.mark.usefixtures("aws")
    @pytest.mark.parametrize(
        ("offering_id", "code"),
        [
            ("cb-0123456789abcdef0", "InvalidCapacityBlockOfferingIdNotFound"),
            ("nonsense", "InvalidCapacityBlockOfferingIdMalformed"),
        ],
    )
    def test_unknown_offerings_are_refused(self, offering_id: str, code: str) -> None:
        found = refusal(lambda **_: buy({"CapacityBlockOfferingId": offering_id}))
        assert found[0] == code

    @pytest.mark.usefixtures("aws")
    def test_block_cannot_be_modified_or_cancelled(self) -> None:
        buy(offerings()[0])
        ec2, one = client("ec2"), reservation()["CapacityReservationId"]
        cancel = refusal(ec2.cancel_capacity_reservation, CapacityReservationId=one)
        modify = refusal(
            ec2.modify_capacity_reservation, CapacityReservationId=one, InstanceCount=1
        )
        assert cancel[0] == modify[0] == "UnsupportedOperation"
        assert reservation()["State"] == "scheduled"

    @pytest.mark.usefixtures("aws")
    def test_blocks_are_filtered_and_paginated(self) -> None:
        for _ in range(3):
            buy(offerings()[0])
        ec2 = client("ec2")
        blocks = ec2.describe_capacity_blocks()["CapacityBlocks"]
        item = blocks[1]["CapacityBlockId"]
        assert [
            block["CapacityBlockId"]
            for block in ec2.describe_capacity_blocks(CapacityBlockIds=[item])["CapacityBlocks"]
        ] == [item]
        filters = [{"Name": "state", "Values": ["active"]}]
        assert ec2.describe_capacity_blocks(Filters=filters)["CapacityBlocks"] == []
        day = blocks[0]["StartDate"].strftime("%Y-%m-%dT*")
        filters = [{"Name": "start-date", "Values": [day]}]
        assert len(ec2.describe_capacity_blocks(Filters=filters)["CapacityBlocks"]) == 3
        pages = ec2.get_paginator("describe_capacity_blocks")
        sizes = [
            len(page["CapacityBlocks"])
            for page in pages.paginate(PaginationConfig={"PageSize": 2})
        ]
        assert sizes == [2, 1]
        missing = refusal(ec2.describe_capacity_blocks, CapacityBlockIds=["cb-0123456789abcdef0"])
        assert missing[0] == "InvalidCapacityBlockId.NotFound"

    def test_status_contains_the_launchable_instances(self, aws: Runtime) -> None:
        buy(offerings(StartDateRange=tomorrow())[0])
        ec2 = client("ec2")

        def status() -> dict[str, Any]:
            (found,) = ec2.describe_capacity_block_status()["CapacityBlockStatuses"]
            one: dict[str, Any] = found
            return one

        assert (status()["TotalCapacity"], status()["TotalAvailableCapacity"]) == (2, 0)
        aws.clock.advance(2 * DAY)
        assert status()["TotalAvailableCapacity"] == 2
        assert status()["CapacityReservationStatuses"][0]["TotalCapacity"] == 2

    def test_ultraserver_has_an_interconnect_status(self, aws: Runtime) -> None:
        offering = offerings(
            InstanceType=None,
            InstanceCount=None,
            UltraserverType="u-p6e-gb200x36",
            AllAvailabilityZones=True,
        )[0]
        block = buy(offering)["CapacityBlocks"][0]
        assert block["UltraserverType"] == "u-p6e-gb200x36"
        aws.clock.advance(DAY)
        filters = [{"Name": "interconnect-status", "Values": ["ok"]}]
        (found,) = client("ec2").describe_capacity_block_status(Filters=filters)[
            "CapacityBlockStatuses"
        ]
        assert found["TotalCapacity"] == 9
