"""Capacity reservations and capacity blocks of an account."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clusterwright.aws.errors import is_not_found
from clusterwright.aws.session import AwsSession
from clusterwright.aws.vpc import STACK_TAG


@dataclass(frozen=True)
class Reservation:
    """A capacity reservation; a capacity block is one of kind `capacity-block`.

    Attributes
    ----------
    match:
        `open`: instances that name no reservation may use it. `targeted`: only those that name it.
    available_count:
        None where AWS does not say.
    placement_group:
        The ARN of the cluster placement group that it was made in.
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


@dataclass(frozen=True)
class BlockStatus:
    """How the instances of an UltraServer's capacity block are connected."""

    id: str
    interconnect: str
    total: int | None
    unavailable: int | None
    """Instances that cannot be launched, whoever wants them."""


def reservation(session: AwsSession, reservation_id: str) -> Reservation | None:
    """One reservation, shared ones included; None where the account sees none of that id."""
    try:
        answer = session.call(
            "ec2", "DescribeCapacityReservations", CapacityReservationIds=[reservation_id]
        )
    except Exception as error:
        if is_not_found(error):
            return None
        raise
    found = answer["CapacityReservations"]
    return _reservation(found[0]) if found else None


def reservations(session: AwsSession) -> tuple[Reservation, ...]:
    """Every reservation of the account in the region, ended ones of late included."""
    return tuple(
        _reservation(answer)
        for page in session.pages("ec2", "DescribeCapacityReservations")
        for answer in page["CapacityReservations"]
    )


def block_statuses(session: AwsSession) -> tuple[BlockStatus, ...]:
    """The status of every capacity block whose instances are connected as one UltraServer."""
    return tuple(
        BlockStatus(
            answer["CapacityBlockId"],
            answer.get("InterconnectStatus") or "",
            answer.get("TotalCapacity"),
            answer.get("TotalUnavailableCapacity"),
        )
        for page in session.pages("ec2", "DescribeCapacityBlockStatus")
        for answer in page["CapacityBlockStatuses"]
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
        # An end is only one where the reservation is limited in time.
        end=answer.get("EndDate"),
        placement_group=answer.get("PlacementGroupArn"),
        owner=answer.get("OwnerId"),
        stack=tags.get(STACK_TAG),
        block_id=answer.get("CapacityBlockId"),
    )
