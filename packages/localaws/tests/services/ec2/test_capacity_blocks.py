"""Capacity blocks: offerings, prices, states, extensions."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from clusterwright.catalog import Known, load_catalog
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


@pytest.mark.usefixtures("aws")
class TestOfferings:
    def test_blocks_end_at_half_past_eleven_and_last_about_as_requested(self) -> None:
        found = offerings()
        assert 0 < len(found) <= 6
        for item in found:
            assert item["EndDate"].strftime("%H:%M") == "11:30"
            lasts = item["EndDate"] - item["StartDate"]
            hours, minutes = (
                item["CapacityBlockDurationHours"],
                item["CapacityBlockDurationMinutes"],
            )
            assert lasts == dt.timedelta(hours=hours, minutes=minutes)
            assert abs(lasts - dt.timedelta(hours=48)) < dt.timedelta(days=1)
            assert (item["InstanceType"], item["InstanceCount"]) == (P5, 2)

    def test_a_block_from_half_past_eleven_has_exact_duration_and_documented_price(
        self,
    ) -> None:
        offering = offerings(StartDateRange=tomorrow())[0]
        assert offering["StartDate"] == tomorrow()
        assert offering["CapacityBlockDurationHours"] == 48
        price = load_catalog().instance_price(P5, "us-east-1", "capacity-block")
        assert isinstance(price, Known)
        assert Decimal(offering["UpfrontFee"]) == round(price.value.usd * 2 * 48, 2)
        assert offering["CurrencyCode"] == "USD"

    def test_what_has_no_sourced_price_has_no_fee(self) -> None:
        catalog = load_catalog()
        name = next(
            name
            for name in sorted(catalog.described_names)
            if "us-east-1" in (getattr(catalog.instance(name).capacity_block_places, "value", ()))
            and not isinstance(catalog.instance_price(name, "us-east-1", "capacity-block"), Known)
        )
        found = offerings(InstanceType=name)
        assert found
        assert all("UpfrontFee" not in item for item in found)

    def test_every_type_is_offered_where_aws_documents_it_and_nowhere_else(self) -> None:
        catalog = load_catalog()
        seen = 0
        for name in sorted(catalog.described_names):
            fact = catalog.instance(name).capacity_block_places
            places = fact.value if isinstance(fact, Known) else ()
            if "us-east-1" in places:
                # Without a sourced zone, nothing is offered.
                zones = catalog.offering(name, "us-east-1")
                known = isinstance(zones, Known) and bool(zones.value)
                assert bool(offerings(InstanceType=name)) == known, name
                seen += known
            elif not any(place.startswith("us-east-1-") for place in places):
                assert refused(InstanceType=name) == "InvalidParameterValue", name
        assert seen > 5

    def test_local_zones_are_shown_only_with_all_zones(self) -> None:
        ultra = {
            "InstanceType": None,
            "InstanceCount": None,
            "UltraserverType": "u-p6e-gb200x72",
            "UltraserverCount": 1,
        }
        assert offerings(**ultra) == []
        offering = offerings(**ultra, AllAvailabilityZones=True, StartDateRange=tomorrow())[0]
        assert offering["InstanceType"] == "p6e-gb200.36xlarge"
        assert (offering["InstanceCount"], offering["UltraserverCount"]) == (18, 1)
        assert offering["AvailabilityZone"] == "us-east-1-dfw-2a"
        assert offering["ZoneType"] == "local-zone"
        price = load_catalog().instance_price(
            "u-p6e-gb200x72", "us-east-1-dfw-2a", "capacity-block"
        )
        assert isinstance(price, Known)
        assert Decimal(offering["UpfrontFee"]) == round(price.value.usd * 48, 2)

    @pytest.mark.parametrize("hours", [24, 336, 504, 4368])
    def test_durations_that_are_sold(self, hours: int) -> None:
        assert offerings(CapacityDurationHours=hours)

    @pytest.mark.parametrize(
        ("more", "code"),
        [
            ({"CapacityDurationHours": 0}, "InvalidParameterValue"),
            ({"CapacityDurationHours": 25}, "InvalidParameterValue"),
            ({"CapacityDurationHours": 360}, "InvalidParameterValue"),  # 15 days
            ({"CapacityDurationHours": 4536}, "InvalidParameterValue"),  # 27 weeks
            ({"InstanceCount": 65}, "InvalidParameterValue"),
            ({"InstanceCount": 0}, "InvalidParameterValue"),
            ({"InstanceCount": None}, "MissingParameter"),
            ({"InstanceType": None}, "MissingParameter"),
            ({"InstanceType": "m5.large"}, "InvalidParameterValue"),
            ({"UltraserverType": "u-p6e-gb200x72"}, "InvalidParameterCombination"),
            ({"UltraserverType": "u-x", "InstanceType": None}, "InvalidParameterValue"),
            ({"InstanceTypePreferences": [{"InstanceType": P5}]}, "InvalidParameterCombination"),
            ({"DryRun": True}, "DryRunOperation"),
        ],
    )
    def test_what_is_refused(self, more: dict[str, Any], code: str) -> None:
        assert refused(**more) == code

    def test_a_start_more_than_eight_weeks_ahead_is_not_sold(self) -> None:
        late = dt.datetime.now(dt.UTC) + dt.timedelta(weeks=8, days=1)
        assert offerings(StartDateRange=late) == []
        soon = dt.datetime.now(dt.UTC) + dt.timedelta(hours=30)
        assert all(offering["EndDate"] <= soon for offering in offerings(EndDateRange=soon))

    def test_pages(self) -> None:
        pages = client("ec2").get_paginator("describe_capacity_block_offerings")
        sizes = [
            len(page["CapacityBlockOfferings"])
            for page in pages.paginate(
                InstanceType=P5,
                InstanceCount=1,
                CapacityDurationHours=24,
                PaginationConfig={"PageSize": 4},
            )
        ]
        assert sizes == [4, 2]


def test_whatever_the_time_of_day_blocks_end_at_half_past_eleven(aws: Runtime) -> None:
    for _ in range(28):
        aws.clock.advance(53 * 60 + 7)
        now = aws.clock.now()
        for hours in (24, 72):
            found = offerings(CapacityDurationHours=hours)
            assert len(found) == 6
            for item in found:
                assert item["EndDate"].strftime("%H:%M") == "11:30"
                assert item["StartDate"] >= now + dt.timedelta(minutes=29)
                lasts = (item["EndDate"] - item["StartDate"]).total_seconds() / 3600
                assert lasts > 0
                assert abs(lasts - hours) < 24


@pytest.mark.parametrize(
    ("time", "durations"),
    [
        # (hours, minutes) of blocks that begin today or as soon as possible
        ("10:29", [(24, 31), (0, 31)]),
        ("10:30", [(24, 30)]),
        ("10:45", [(24, 15)]),
        ("10:59", [(24, 1)]),
        # The first start is at 11:30 itself: whole days.
        ("11:00", [(24, 0)]),
        ("11:01", [(47, 59), (23, 59)]),
        ("11:29", [(47, 31), (23, 31)]),
        ("11:31", [(47, 29), (23, 29)]),
    ],
)
def test_shortly_before_half_past_eleven_no_block_of_minutes_is_sold(
    aws: Runtime, monkeypatch: pytest.MonkeyPatch, time: str, durations: list[tuple[int, int]]
) -> None:
    now = tomorrow().replace(hour=int(time[:2]), minute=int(time[3:]))
    monkeypatch.setattr(aws.clock, "now", lambda: now)
    found = offerings(CapacityDurationHours=24)
    assert len(found) == 6
    soon = {
        (item["CapacityBlockDurationHours"], item["CapacityBlockDurationMinutes"])
        for item in found
        if item["StartDate"] == now + dt.timedelta(minutes=30)
    }
    assert soon == set(durations)
    # Every block has time for instances: they are terminated half an hour before its end.
    for item in found:
        assert item["EndDate"] - item["StartDate"] > dt.timedelta(minutes=30)
    # The same for a requested start.
    asked = now.replace(hour=11, minute=10) + dt.timedelta(days=1)
    for offering in offerings(CapacityDurationHours=24, StartDateRange=asked):
        assert offering["StartDate"] >= asked
        assert offering["EndDate"] - offering["StartDate"] > dt.timedelta(minutes=30)


class TestWorlds:
    def test_a_world_without_offerings(self) -> None:
        with local_aws(capacity_block_offerings="none"):
            assert offerings() == []

    def test_the_zone_has_too_few_instances(self) -> None:
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

    def test_a_quota_of_nothing_shows_nothing(self) -> None:
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
    def test_it_is_paid_for_then_waits_then_runs_then_ends(self, aws: Runtime) -> None:
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

    def test_payment_takes_the_delay(self) -> None:
        with local_aws(delays={"payment": 60}) as aws:
            buy(offerings(StartDateRange=tomorrow())[0])
            assert reservation()["State"] == "payment-pending"
            aws.clock.advance(61)
            assert reservation()["State"] == "scheduled"

    @pytest.mark.usefixtures("aws")
    def test_an_offering_is_sold_once(self) -> None:
        offering = offerings()[0]
        buy(offering)
        assert refusal(lambda **_: buy(offering))[0] == "InvalidCapacityBlockOfferingIdExpired"

    def test_an_offering_whose_start_is_over(self, aws: Runtime) -> None:
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
    def test_offerings_that_are_not_there(self, offering_id: str, code: str) -> None:
        found = refusal(lambda **_: buy({"CapacityBlockOfferingId": offering_id}))
        assert found[0] == code

    @pytest.mark.usefixtures("aws")
    def test_it_can_be_neither_modified_nor_cancelled(self) -> None:
        buy(offerings()[0])
        ec2, one = client("ec2"), reservation()["CapacityReservationId"]
        cancel = refusal(ec2.cancel_capacity_reservation, CapacityReservationId=one)
        modify = refusal(
            ec2.modify_capacity_reservation, CapacityReservationId=one, InstanceCount=1
        )
        assert cancel[0] == modify[0] == "UnsupportedOperation"
        assert reservation()["State"] == "scheduled"

    @pytest.mark.usefixtures("aws")
    def test_blocks_are_filtered_paged_and_looked_up(self) -> None:
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

    def test_status_contains_launchable_instances(self, aws: Runtime) -> None:
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

    def test_an_ultraserver_shows_its_interconnect(self, aws: Runtime) -> None:
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

    def test_the_end_moves_when_it_is_paid(self) -> None:
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

    def test_it_is_refused_or_empty_where_the_documentation_says_so(self, aws: Runtime) -> None:
        buy(offerings(CapacityDurationHours=24, StartDateRange=tomorrow())[0])
        assert refusal(lambda **_: self.extend(25))[0] == "InvalidParameterValue"
        assert self.extend(4368) == []  # more than 182 days in all
        end = reservation()["EndDate"]
        aws.clock.advance((end - dt.datetime.now(dt.UTC)).total_seconds() - 1800)
        assert self.extend() == []  # less than an hour before the end
        aws.clock.advance(3600)
        assert refusal(lambda **_: self.extend())[0] == "IncorrectState"

    @pytest.mark.usefixtures("aws")
    def test_offerings_are_for_what_they_were_made_for(self) -> None:
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

    def test_one_that_is_no_block(self) -> None:
        seed = {
            "id": "cr-0123456789abcdef0",
            "instance_type": P5,
            "zone_id": "use1-az6",
            "instance_count": 1,
        }
        with local_aws(capacity_reservations=[seed]):
            assert refusal(lambda **_: self.extend())[0] == "InvalidParameterValue"

    def test_a_following_block_uses_the_capacity(self) -> None:
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
