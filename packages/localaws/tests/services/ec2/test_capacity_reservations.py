"""Placement groups and capacity reservations, which moto does not have."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.parts import client, refusal


def reserve(**more: Any) -> dict[str, Any]:
    request = {
        "InstanceType": "p5.48xlarge",
        "InstancePlatform": "Linux/UNIX",
        "AvailabilityZoneId": "use1-az6",
        "InstanceCount": 2,
        **more,
    }
    request = {key: value for key, value in request.items() if value is not None}
    made: dict[str, Any] = client("ec2").create_capacity_reservation(**request)
    return made["CapacityReservation"]  # type: ignore[no-any-return]


def refused(**more: Any) -> tuple[str, str]:
    return refusal(lambda **_: reserve(**more))


def ids(**parameters: Any) -> list[str]:
    found = client("ec2").describe_capacity_reservations(**parameters)["CapacityReservations"]
    return [item["CapacityReservationId"] for item in found]


def in_an_hour() -> dt.datetime:
    return dt.datetime.now(dt.UTC) + dt.timedelta(hours=1)


@pytest.mark.usefixtures("aws")
class TestReservations:
    def test_reservation_is_active_at_once(self) -> None:
        made = reserve(InstanceMatchCriteria="targeted")
        assert made["State"] == "active"
        assert (made["TotalInstanceCount"], made["AvailableInstanceCount"]) == (2, 2)
        assert made["EndDateType"] == "unlimited"
        assert made["AvailabilityZone"].startswith("us-east-1")
        assert ids(CapacityReservationIds=[made["CapacityReservationId"]]) == ids()
        assert ids(Filters=[{"Name": "instance-type", "Values": ["p5.*"]}]) == ids()
        assert ids(Filters=[{"Name": "state", "Values": ["cancelled"]}]) == []

    def test_pages(self) -> None:
        made = [reserve(InstanceCount=1)["CapacityReservationId"] for _ in range(3)]
        pages = client("ec2").get_paginator("describe_capacity_reservations")
        sizes = [
            [reservation["CapacityReservationId"] for reservation in page["CapacityReservations"]]
            for page in pages.paginate(PaginationConfig={"PageSize": 2})
        ]
        assert sizes == [made[:2], made[2:]]

    def test_size_and_end_are_modified(self) -> None:
        ec2, one = client("ec2"), reserve()["CapacityReservationId"]
        ec2.modify_capacity_reservation(CapacityReservationId=one, InstanceCount=5)
        ec2.modify_capacity_reservation(
            CapacityReservationId=one, EndDateType="limited", EndDate=in_an_hour()
        )
        (found,) = ec2.describe_capacity_reservations()["CapacityReservations"]
        assert (found["TotalInstanceCount"], found["EndDateType"]) == (5, "limited")
        ec2.modify_capacity_reservation(CapacityReservationId=one, EndDateType="unlimited")
        (found,) = ec2.describe_capacity_reservations()["CapacityReservations"]
        assert "EndDate" not in found

    def test_reservation_is_cancelled(self) -> None:
        ec2, one = client("ec2"), reserve()["CapacityReservationId"]
        ec2.cancel_capacity_reservation(CapacityReservationId=one)
        (found,) = ec2.describe_capacity_reservations()["CapacityReservations"]
        assert (found["State"], found["AvailableInstanceCount"]) == ("cancelled", 0)
        again = refusal(
            ec2.modify_capacity_reservation, CapacityReservationId=one, InstanceCount=1
        )
        assert again[0] == "IncorrectState"

    @pytest.mark.parametrize(
        ("more", "code"),
        [
            ({"InstanceCount": 0}, "InvalidParameterValue"),
            ({"AvailabilityZoneId": None}, "MissingParameter"),
            ({"AvailabilityZoneId": "use1-az99"}, "InvalidParameterValue"),
            ({"EndDateType": "limited"}, "InvalidParameterCombination"),
            ({"EndDate": dt.datetime(2020, 1, 1, tzinfo=dt.UTC)}, "InvalidParameterValue"),
            ({"StartDate": dt.datetime(2099, 1, 1, tzinfo=dt.UTC)}, "UnsupportedOperation"),
            ({"DryRun": True}, "DryRunOperation"),
            # The catalogue's offerings lack the type in this zone.
            ({"InstanceType": "p6e-gb200.36xlarge"}, "Unsupported"),
        ],
    )
    def test_what_is_refused(self, more: dict[str, Any], code: str) -> None:
        assert refused(**more)[0] == code
        assert ids() == []

    def test_unknown_reservation_is_not_found(self) -> None:
        found = refusal(client("ec2").cancel_capacity_reservation, CapacityReservationId="cr-0000")
        assert found == (
            "InvalidCapacityReservationId.NotFound",
            "The capacity reservation id 'cr-0000' does not exist",
        )

    def test_placement_group_with_a_reservation_cannot_be_deleted(self) -> None:
        ec2 = client("ec2")
        group = ec2.create_placement_group(GroupName="a")["PlacementGroup"]
        item = reserve(PlacementGroupArn=group["GroupArn"])["CapacityReservationId"]
        found = refusal(ec2.delete_placement_group, GroupName="a")
        assert found[0] == "InvalidPlacementGroup.InUse"
        ec2.cancel_capacity_reservation(CapacityReservationId=item)
        ec2.delete_placement_group(GroupName="a")


def test_expired_reservation_releases_its_instances(aws: Runtime) -> None:
    reserve(EndDateType="limited", EndDate=in_an_hour())
    aws.clock.advance(3601)
    (found,) = client("ec2").describe_capacity_reservations()["CapacityReservations"]
    assert (found["State"], found["AvailableInstanceCount"]) == ("expired", 0)


def test_reservation_is_limited_by_the_capacity_of_the_zone() -> None:
    room = [{"instance_type": "p5.48xlarge", "zone_id": "use1-az6", "available": 3}]
    with local_aws(capacity=room):
        first = reserve()["CapacityReservationId"]
        assert refused()[0] == "InsufficientInstanceCapacity"
        client("ec2").cancel_capacity_reservation(CapacityReservationId=first)
        assert reserve(InstanceCount=3)["TotalInstanceCount"] == 3


def test_reserved_instances_count_against_the_vcpu_quota() -> None:
    """p5.48xlarge has 192 vCPUs; running on-demand P instances is L-417A185B."""
    with local_aws(quotas={"ec2/L-417A185B": 400}):
        item = reserve()["CapacityReservationId"]
        code, message = refused(InstanceCount=1)
        assert code == "VcpuLimitExceeded"
        assert "400" in message
        more = refusal(
            client("ec2").modify_capacity_reservation,
            CapacityReservationId=item,
            InstanceCount=3,
        )
        assert more[0] == "VcpuLimitExceeded"


def test_reservations_of_the_world_exist() -> None:
    seeds = [
        {
            "id": "cr-0123456789abcdef0",
            "instance_type": "p5.48xlarge",
            "zone_id": "use1-az6",
            "instance_count": 8,
            "available_instance_count": 5,
        },
        {
            "id": "cr-0123456789abcdef1",
            "kind": "capacity-block",
            "instance_type": "p5.48xlarge",
            "zone_id": "use1-az6",
            "instance_count": 4,
            "start": "+2d",
            "end": "+4d",
        },
    ]
    with local_aws(capacity_reservations=seeds) as aws:

        def states() -> dict[str, str]:
            found = client("ec2").describe_capacity_reservations()["CapacityReservations"]
            return {item["CapacityReservationId"][-1]: item["State"] for item in found}

        first, block = client("ec2").describe_capacity_reservations()["CapacityReservations"]
        assert (first["TotalInstanceCount"], first["AvailableInstanceCount"]) == (8, 5)
        assert block["ReservationType"] == "capacity-block"
        assert states() == {"0": "active", "1": "scheduled"}
        aws.clock.advance(3 * 86400)
        assert states() == {"0": "active", "1": "active"}
        aws.clock.advance(2 * 86400)
        assert states() == {"0": "active", "1": "expired"}


def test_state_set_by_the_world_is_kept() -> None:
    seed = {
        "id": "cr-0123456789abcdef0",
        "instance_type": "p5.48xlarge",
        "zone_id": "use1-az6",
        "instance_count": 8,
        "state": "scheduled",
    }
    with local_aws(capacity_reservations=[seed]):
        assert ids(Filters=[{"Name": "state", "Values": ["scheduled"]}]) == [seed["id"]]
