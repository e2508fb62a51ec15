"""Tests of services.ec2.block_offerings."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from clusterwright.catalog import Known, load_catalog
from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.parts import client, refusal

P5 = "p5.48xlarge"


def offerings(**more: Any) -> list[dict[str, Any]]:
    request = {"InstanceType": P5, "InstanceCount": 2, "CapacityDurationHours": 48, **more}
    request = {key: value for key, value in request.items() if value is not None}
    answer = client("ec2").describe_capacity_block_offerings(**request)
    found: list[dict[str, Any]] = answer["CapacityBlockOfferings"]
    return found


def refused(**more: Any) -> str:
    return refusal(lambda **_: offerings(**more))[0]


def tomorrow() -> dt.datetime:
    day = dt.datetime.now(dt.UTC) + dt.timedelta(days=1)
    return day.replace(hour=11, minute=30, second=0, microsecond=0)


@pytest.mark.usefixtures("aws")
class TestOfferings:
    def test_blocks_end_at_1130_utc_with_about_the_requested_duration(self) -> None:
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

    def test_block_from_1130_utc_has_exact_duration_and_documented_price(
        self,
    ) -> None:
        offering = offerings(StartDateRange=tomorrow())[0]
        assert offering["StartDate"] == tomorrow()
        assert offering["CapacityBlockDurationHours"] == 48
        price = load_catalog().instance_price(P5, "us-east-1", "capacity-block")
        assert isinstance(price, Known)
        assert Decimal(offering["UpfrontFee"]) == round(price.value.usd * 2 * 48, 2)
        assert offering["CurrencyCode"] == "USD"

    def test_block_without_a_sourced_price_has_no_fee(self) -> None:
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

    def test_types_are_offered_only_where_aws_documents_them(self) -> None:
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

    def test_local_zones_require_all_availability_zones(self) -> None:
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
    def test_documented_durations_are_offered(self, hours: int) -> None:
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

    def test_start_more_than_eight_weeks_ahead_is_not_offered(self) -> None:
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


def test_blocks_always_end_at_1130_utc(aws: Runtime) -> None:
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
def test_no_block_of_minutes_is_offered_shortly_before_1130_utc(
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
