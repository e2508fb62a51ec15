"""Capacity reservations and Capacity Blocks."""

from __future__ import annotations

import datetime as dt

import pytest
from botocore.stub import Stubber

from clusterwright.aws.ec2 import capacity_reservations
from clusterwright.aws.ec2.capacity_reservations import BlockStatus, Reservation
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession

ID = "cr-0a1b2c3d4e5f60718"
START = dt.datetime(2026, 12, 1, tzinfo=dt.UTC)
PLAIN = {
    "CapacityReservationId": ID,
    "State": "active",
    "InstanceType": "p5.48xlarge",
    "TotalInstanceCount": 4,
}
BLOCK = {
    **PLAIN,
    "ReservationType": "capacity-block",
    "AvailabilityZone": "us-east-1a",
    "AvailabilityZoneId": "use1-az6",
    "InstancePlatform": "Linux/UNIX",
    "Tenancy": "default",
    "AvailableInstanceCount": 3,
    "InstanceMatchCriteria": "targeted",
    "StartDate": START,
    "EndDate": START + dt.timedelta(days=7),
    "OwnerId": "111122223333",
    "CapacityBlockId": "cb-1",
    "Tags": [{"Key": "aws:cloudformation:stack-name", "Value": "train"}],
}


def test_a_reservation_with_the_least_that_ec2_returns(session: AwsSession) -> None:
    with Stubber(session.client("ec2")) as stub:
        stub.add_response(
            "describe_capacity_reservations",
            {"CapacityReservations": [PLAIN]},
            {"CapacityReservationIds": [ID]},
        )
        assert capacity_reservations.reservation(session, ID) == Reservation(
            id=ID,
            kind="default",
            state="active",
            instance_type="p5.48xlarge",
            zone="",
            zone_id=None,
            platform="",
            tenancy="default",
            total_count=4,
            available_count=None,
            match="open",
            start=None,
            end=None,
            placement_group=None,
            owner=None,
            stack=None,
        )


def test_a_reservation_that_the_account_cannot_see(session: AwsSession) -> None:
    with Stubber(session.client("ec2")) as stub:
        stub.add_client_error(
            "describe_capacity_reservations", "InvalidCapacityReservationId.NotFound"
        )
        stub.add_response("describe_capacity_reservations", {"CapacityReservations": []})
        assert capacity_reservations.reservation(session, ID) is None
        assert capacity_reservations.reservation(session, ID) is None


def test_a_denial_is_not_a_missing_reservation(session: AwsSession) -> None:
    with Stubber(session.client("ec2")) as stub:
        stub.add_client_error("describe_capacity_reservations", "UnauthorizedOperation")
        with pytest.raises(AwsUnavailable) as caught:
            capacity_reservations.reservation(session, ID)
    assert caught.value.iam_action == "ec2:DescribeCapacityReservations"


def test_every_reservation_of_the_region(session: AwsSession) -> None:
    with Stubber(session.client("ec2")) as stub:
        stub.add_response(
            "describe_capacity_reservations",
            {"CapacityReservations": [PLAIN], "NextToken": "more"},
        )
        stub.add_response("describe_capacity_reservations", {"CapacityReservations": [BLOCK]})
        _, block = capacity_reservations.reservations(session)
    assert block == Reservation(
        id=ID,
        kind="capacity-block",
        state="active",
        instance_type="p5.48xlarge",
        zone="us-east-1a",
        zone_id="use1-az6",
        platform="Linux/UNIX",
        tenancy="default",
        total_count=4,
        available_count=3,
        match="targeted",
        start=START,
        end=START + dt.timedelta(days=7),
        placement_group=None,
        owner="111122223333",
        stack="train",
        block_id="cb-1",
    )


def test_the_status_of_one_block(session: AwsSession) -> None:
    with Stubber(session.client("ec2")) as stub:
        stub.add_response(
            "describe_capacity_block_status",
            {"CapacityBlockStatuses": [{"CapacityBlockId": "cb-1", "TotalCapacity": 4}]},
            {"CapacityBlockIds": ["cb-1"]},
        )
        found = capacity_reservations.block_status(session, "cb-1")
        assert found == BlockStatus("cb-1", "", 4, None)
        stub.add_response("describe_capacity_block_status", {"CapacityBlockStatuses": []})
        assert capacity_reservations.block_status(session, "cb-2") is None


def test_the_status_of_blocks(session: AwsSession) -> None:
    with Stubber(session.client("ec2")) as stub:
        stub.add_response(
            "describe_capacity_block_status",
            {
                "CapacityBlockStatuses": [
                    {
                        "CapacityBlockId": "cb-1",
                        "InterconnectStatus": "impaired",
                        "TotalCapacity": 18,
                        "TotalUnavailableCapacity": 2,
                    },
                    {"CapacityBlockId": "cb-2"},
                ]
            },
        )
        assert capacity_reservations.block_statuses(session) == (
            BlockStatus("cb-1", "impaired", 18, 2),
            BlockStatus("cb-2", "", None, None),
        )
