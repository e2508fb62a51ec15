"""Tests of services.ec2.interruptible_reservations."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import amazon_image_id, client, refusal

TYPE = "p5.48xlarge"
MARKET = {"MarketType": "interruptible-capacity-reservation"}


@pytest.fixture
def source(aws: object) -> str:
    del aws
    made: str = client("ec2").create_capacity_reservation(
        InstanceType=TYPE,
        InstancePlatform="Linux/UNIX",
        AvailabilityZoneId="use1-az6",
        InstanceCount=4,
    )["CapacityReservation"]["CapacityReservationId"]
    return made


def described(identifier: str) -> dict[str, Any]:
    found: dict[str, Any] = client("ec2").describe_capacity_reservations(
        CapacityReservationIds=[identifier]
    )["CapacityReservations"][0]
    return found


def lend(source: str, count: int) -> str:
    made = client("ec2").create_interruptible_capacity_reservation_allocation(
        CapacityReservationId=source, InstanceCount=count
    )
    assert (made["TargetInstanceCount"], made["Status"]) == (count, "active")
    allocation = described(source)["InterruptibleCapacityAllocation"]
    identifier: str = allocation["InterruptibleCapacityReservationId"]
    return identifier


def launch(identifier: str, **more: Any) -> list[str]:
    image = amazon_image_id()
    target = {"CapacityReservationId": identifier}
    made = client("ec2").run_instances(
        ImageId=image,
        InstanceType=TYPE,
        MinCount=2,
        MaxCount=2,
        CapacityReservationSpecification={"CapacityReservationTarget": target},
        **more,
    )
    return [one["InstanceId"] for one in made["Instances"]]


def test_lent_instances_are_a_targeted_reservation_of_their_own(source: str) -> None:
    identifier = lend(source, 3)
    lent, left = described(identifier), described(source)
    assert lent["Interruptible"] is True
    assert (lent["TotalInstanceCount"], lent["InstanceMatchCriteria"]) == (3, "targeted")
    assert lent["InterruptionInfo"]["SourceCapacityReservationId"] == source
    assert left["TotalInstanceCount"] == 1


def test_reservation_has_one_allocation_of_unused_instances(source: str) -> None:
    lend(source, 3)
    code, message = refusal(
        client("ec2").create_interruptible_capacity_reservation_allocation,
        CapacityReservationId=source,
        InstanceCount=1,
    )
    assert code == "InvalidParameterValue"
    assert "has an interruptible capacity allocation already" in message
    _, message = refusal(
        client("ec2").update_interruptible_capacity_reservation_allocation,
        CapacityReservationId=source,
        TargetInstanceCount=5,
    )
    assert "has 1 unused ones" in message


def test_launch_needs_the_market_type(source: str) -> None:
    identifier = lend(source, 2)
    code, message = refusal(lambda **_: launch(identifier))
    assert code == "InvalidParameterCombination"
    assert "is interruptible: the market type must be" in message
    assert len(launch(identifier, InstanceMarketOptions=MARKET)) == 2
    assert described(identifier)["AvailableInstanceCount"] == 0
    _, message = refusal(lambda **_: launch(source, InstanceMarketOptions=MARKET))
    assert "cannot be used with the on-demand reservation" in message


def test_reclaimed_instances_end(source: str) -> None:
    identifier = lend(source, 3)
    running = launch(identifier, InstanceMarketOptions=MARKET)
    changed = client("ec2").update_interruptible_capacity_reservation_allocation(
        CapacityReservationId=source, TargetInstanceCount=1
    )
    assert changed["InstanceCount"] == 1
    assert described(source)["TotalInstanceCount"] == 3
    states = [
        one["State"]["Name"]
        for each in client("ec2").describe_instances(InstanceIds=running)["Reservations"]
        for one in each["Instances"]
    ]
    assert sorted(states) == ["running", "terminated"]
    for preference, state in (("retain", "active"), ("default", "cancelled")):
        client("ec2").update_interruptible_capacity_reservation_allocation(
            CapacityReservationId=source, TargetInstanceCount=0, ZeroSizePreference=preference
        )
        assert described(identifier)["State"] == state
    assert described(source)["TotalInstanceCount"] == 4


def test_update_without_a_number_keeps_it_and_a_negative_one_is_refused(source: str) -> None:
    lend(source, 3)
    update = client("ec2").update_interruptible_capacity_reservation_allocation
    assert update(CapacityReservationId=source)["InstanceCount"] == 3
    code, _ = refusal(update, CapacityReservationId=source, TargetInstanceCount=-1)
    assert code == "InvalidParameterValue"


def test_world_can_have_a_reservation_that_another_owner_lends() -> None:
    lent = {
        "id": "cr-0123456789abcdef0",
        "instance_type": TYPE,
        "instance_count": 2,
        "zone_id": "use1-az6",
        "state": "active",
        "interruptible": True,
    }
    with local_aws(capacity_reservations=[lent]):
        assert described("cr-0123456789abcdef0")["Interruptible"] is True
        assert len(launch("cr-0123456789abcdef0", InstanceMarketOptions=MARKET)) == 2
    for change in ({"match_criteria": "open"}, {"kind": "capacity-block", "end": "+1d"}):
        with (
            pytest.raises(ValueError, match="is on-demand and targeted"),
            local_aws(capacity_reservations=[{**lent, **change}]),
        ):
            pass
