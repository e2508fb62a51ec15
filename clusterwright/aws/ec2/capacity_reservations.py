"""Capacity reservations and Capacity Blocks."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clusterwright.aws.ec2.vpc import STACK_TAG
from clusterwright.aws.errors import none_if_not_found
from clusterwright.aws.session import AwsSession


@dataclass(frozen=True)
class Reservation:
    """A capacity reservation; a Capacity Block has the kind `capacity-block`.

    Attributes
    ----------
    match:
        `open`: matching instances use it. `targeted`: only instances that specify it do.
    available_count:
        None if AWS does not return it.
    placement_group:
        The ARN of the cluster placement group that it was created in.
    """

    id: str
    kind: str
    state: str
    instance_type: str
    zone: str
    zone_id: str | None
    platform: str
    tenancy: str
    total_count: int
    available_count: int | None
    match: str
    start: dt.datetime | None
    end: dt.datetime | None
    placement_group: str | None
    owner: str | None
    stack: str | None
    block_id: str | None = None
    interruptible: bool = False
    """The owner of the reservation that it was split from can end its instances."""


@dataclass(frozen=True)
class BlockStatus:
    """The health of a Capacity Block.

    Attributes
    ----------
    interconnect:
        Of UltraServers: `ok`, `impaired`, `insufficient-data`; empty if not returned.
    unavailable:
        Instances that failed a system status check; None if not returned.
    """

    id: str
    interconnect: str
    total: int | None
    unavailable: int | None


@none_if_not_found()
def reservation(session: AwsSession, reservation_id: str) -> Reservation | None:
    """Return a reservation, also a shared one; None if the account cannot see it."""
    answer = session.call(
        "ec2", "DescribeCapacityReservations", CapacityReservationIds=[reservation_id]
    )
    found = answer["CapacityReservations"]
    return _reservation(found[0]) if found else None


def reservations(session: AwsSession) -> tuple[Reservation, ...]:
    """Return every reservation of the account in the region, including recently ended ones."""
    return tuple(
        _reservation(answer)
        for answer in session.items("ec2", "DescribeCapacityReservations", "CapacityReservations")
    )


def block_statuses(session: AwsSession) -> tuple[BlockStatus, ...]:
    """Return the status of every Capacity Block of the account in the region."""
    return tuple(
        _block_status(answer)
        for answer in session.items("ec2", "DescribeCapacityBlockStatus", "CapacityBlockStatuses")
    )


@none_if_not_found()
def block_status(session: AwsSession, block_id: str) -> BlockStatus | None:
    """Return the status of a Capacity Block; None if EC2 reports none of it.

    Raises
    ------
    AwsUnavailable
        AWS did not answer.
    """
    found = session.items(
        "ec2",
        "DescribeCapacityBlockStatus",
        "CapacityBlockStatuses",
        CapacityBlockIds=[block_id],
    )
    return next((_block_status(answer) for answer in found), None)


def _block_status(answer: Mapping[str, Any]) -> BlockStatus:
    return BlockStatus(
        answer["CapacityBlockId"],
        answer.get("InterconnectStatus") or "",
        answer.get("TotalCapacity"),
        answer.get("TotalUnavailableCapacity"),
    )


def _reservation(answer: Mapping[str, Any]) -> Reservation:
    tags = {tag["Key"]: tag["Value"] for tag in answer.get("Tags") or ()}
    return Reservation(
        id=answer["CapacityReservationId"],
        kind=answer.get("ReservationType") or "default",
        state=answer["State"],
        instance_type=answer["InstanceType"],
        zone=answer.get("AvailabilityZone") or "",
        zone_id=answer.get("AvailabilityZoneId"),
        platform=answer.get("InstancePlatform") or "",
        tenancy=answer.get("Tenancy") or "default",
        total_count=answer["TotalInstanceCount"],
        available_count=answer.get("AvailableInstanceCount"),
        match=answer.get("InstanceMatchCriteria") or "open",
        start=answer.get("StartDate"),
        # Only reservations that end at a specific time have an end date.
        end=answer.get("EndDate"),
        placement_group=answer.get("PlacementGroupArn"),
        owner=answer.get("OwnerId"),
        stack=tags.get(STACK_TAG),
        block_id=answer.get("CapacityBlockId"),
        interruptible=bool(answer.get("Interruptible")),
    )
