"""Reserved capacity: states by the clock, use by instances, quotas."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.ec2.reserved import (
    BLOCK,
    Reservation,
    Reserved,
    block_id,
    reserved_in,
    reserved_vcpus,
)

NOW = dt.datetime(2026, 1, 1, 12, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)


def reservation(state: str = "active", **members: Any) -> Reservation:
    return Reservation(
        {
            "CapacityReservationId": "cr-1",
            "ReservationType": "default",
            "InstanceType": "p5.48xlarge",
            "TotalInstanceCount": 4,
            "State": state,
            "StartDate": NOW,
            **members,
        }
    )


class TestStates:
    @pytest.mark.parametrize(
        ("state", "members", "expected"),
        [
            ("scheduled", {"StartDate": NOW + HOUR}, "scheduled"),
            ("scheduled", {}, "active"),
            ("payment-pending", {}, "active"),
            ("active", {"EndDate": NOW + HOUR}, "active"),
            ("active", {"EndDate": NOW}, "expired"),
            ("scheduled", {"EndDate": NOW - HOUR}, "expired"),
            ("cancelled", {}, "cancelled"),
        ],
    )
    def test_by_the_clock(self, state: str, members: dict[str, Any], expected: str) -> None:
        found = reservation(state, **members)
        found.advance(NOW)
        assert found.members["State"] == expected

    def test_a_payment_that_is_not_due_waits(self) -> None:
        found = reservation("payment-pending")
        found.paid_at = NOW + HOUR
        found.advance(NOW)
        assert found.members["State"] == "payment-pending"

    def test_a_state_of_the_worlds_file_stays(self) -> None:
        found = reservation("scheduled")
        found.held = True
        found.advance(NOW + 9 * HOUR)
        assert found.members["State"] == "scheduled"

    def test_a_paid_extension_moves_the_end(self) -> None:
        found = reservation(EndDate=NOW, ReservationType=BLOCK)
        found.extensions = [
            {
                "CapacityBlockExtensionStatus": "payment-pending",
                "_PaidAt": NOW,
                "CapacityBlockExtensionEndDate": NOW + 24 * HOUR,
            }
        ]
        found.advance(NOW)
        assert found.members["EndDate"] == NOW + 24 * HOUR
        assert found.members["State"] == "active"
        assert found.extensions[0]["CapacityBlockExtensionStatus"] == "payment-succeeded"


@pytest.mark.parametrize(
    ("state", "others", "expected"),
    [("active", 1, 3), ("active", 9, 0), ("scheduled", 1, 4), ("expired", 0, 0)],
)
def test_available_instances(aws: Runtime, state: str, others: int, expected: int) -> None:
    found = reservation(state)
    found.used_by_others = others
    assert Reserved(aws, aws.world.account, "us-east-1").available(found) == expected


SEED = {
    "id": "cr-0123456789abcdef0",
    "instance_type": "p5.48xlarge",
    "zone_id": "use1-az6",
    "instance_count": 4,
    "available_instance_count": 3,
    "kind": "capacity-block",
    "start": "-1d",
    "end": "+1d",
}


def test_reservations_of_the_world_are_in_its_region() -> None:
    with local_aws(capacity_reservations=[SEED]) as aws:
        found = reserved_in(aws, aws.world.account, "us-east-1")
        one = found.by_id[SEED["id"]]
        assert (one.is_block, one.members["State"], one.used_by_others) == (True, "active", 1)
        assert list(found.blocks) == [block_id(str(SEED["id"]))]
        assert reserved_in(aws, aws.world.account, "us-west-2").by_id == {}
        assert reserved_in(aws, aws.world.account, "us-east-1") is found


def test_blocks_do_not_count_against_the_vcpu_quota() -> None:
    default = {**SEED, "kind": "on-demand", "id": "cr-0123456789abcdef1"}
    with local_aws(capacity_reservations=[SEED, default]) as aws:
        used = reserved_vcpus(aws, aws.world.account, "us-east-1", "L-417A185B")
        assert used == 4 * 192
        assert reserved_vcpus(aws, aws.world.account, "us-east-1", "L-1216C47A") == 0
