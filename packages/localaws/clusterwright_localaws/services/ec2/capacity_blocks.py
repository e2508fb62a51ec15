"""Capacity blocks: purchase, the reservation with its states, and its use.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html
https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_PurchaseCapacityBlock.html
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from clusterwright_localaws.core import catalog_facts
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.pagination import paged
from clusterwright_localaws.services.ec2.block_offerings import block_quota, free_in
from clusterwright_localaws.services.ec2.capacity_reservations import reservations_of
from clusterwright_localaws.services.ec2.common import (
    matches,
    new_id,
    refuse_dry_run,
    tag_new,
    tags_of,
)
from clusterwright_localaws.services.ec2.reserved import BLOCK, ENDED, Reservation, Reserved

# "you can have up to 256 instances across Capacity Blocks" (the user guide).
_MOST_INSTANCES_IN_ALL = 256
_OFFERING_ID = re.compile(r"cb-[0-9a-f]{17}")
_FILTERS = {
    "availability-zone": "AvailabilityZone",
    "availability-zone-id": "AvailabilityZoneId",
    "capacity-block-id": "CapacityBlockId",
    "create-date": "CreateDate",
    "end-date": "EndDate",
    "start-date": "StartDate",
    "state": "State",
    "ultraserver-type": "UltraserverType",
}
_STATUS_FILTERS = {"interconnect-status": "InterconnectStatus"}
# Blocks have no state for a reservation that waits for its capacity.
_STATES = {"pending": "scheduled", "assessing": "scheduled", "delayed": "scheduled"}


@operation("ec2", "PurchaseCapacityBlock")
def purchase_capacity_block(call: Call) -> Mapping[str, Any]:
    request, reserved = call.parameters, reservations_of(call)
    offering = _offering(call, reserved, request["CapacityBlockOfferingId"])
    count, instance_type = offering["InstanceCount"], offering["InstanceType"]
    _check_limits(call, reserved, instance_type, count)
    refuse_dry_run(call)
    reservation_id, block_id = new_id("cr"), new_id("cb")
    members: dict[str, Any] = {
        "CapacityReservationId": reservation_id,
        "OwnerId": call.account,
        "CapacityReservationArn": call.arn("ec2", f"capacity-reservation/{reservation_id}"),
        "InstanceType": instance_type,
        "InstancePlatform": request["InstancePlatform"],
        "AvailabilityZone": offering["AvailabilityZone"],
        "AvailabilityZoneId": offering["_ZoneId"],
        "Tenancy": "default",
        "TotalInstanceCount": count,
        "EbsOptimized": False,
        "EphemeralStorage": False,
        "State": "payment-pending",
        "StartDate": offering["StartDate"],
        "EndDate": offering["EndDate"],
        "EndDateType": "limited",
        "InstanceMatchCriteria": "targeted",
        "CreateDate": call.now,
        "ReservationType": BLOCK,
        "CapacityBlockId": block_id,
    }
    paid_at = call.now + timedelta(seconds=call.world.delays.payment)
    reserved.offerings.pop(offering["CapacityBlockOfferingId"])
    reserved.bought_offerings.add(offering["CapacityBlockOfferingId"])
    block: dict[str, Any] = {"CapacityBlockId": block_id, "_Reservations": [reservation_id]}
    if "UltraserverType" in offering:
        block["UltraserverType"] = offering["UltraserverType"]
    reserved.blocks[block_id] = block
    reservation = Reservation(members, paid_at=paid_at)
    # Answered before time advances: the payment is still pending.
    reserved.by_id[reservation_id] = reservation
    tag_new(call, reservation_id, "capacity-reservation")
    tag_new(call, block_id, "capacity-block")
    shown = {
        **members,
        "AvailableInstanceCount": 0,
        "Tags": tags_of(call, reservation_id),
    }
    return {
        "CapacityReservation": shown,
        "CapacityBlocks": [_shape(call, block, reservation)],
        "CapacityReservations": [shown],
    }


@operation("ec2", "DescribeCapacityBlocks")
def describe_capacity_blocks(call: Call) -> Mapping[str, Any]:
    found = [
        shown
        for shown in (_shape(call, block, one) for block, one in _wanted(call))
        if matches(shown, call.parameters.get("Filters", []), _FILTERS)
    ]
    refuse_dry_run(call)
    return paged(call, "CapacityBlocks", found, default=1000, stale_page_code="InvalidNextToken")


@operation("ec2", "DescribeCapacityBlockStatus")
def describe_capacity_block_status(call: Call) -> Mapping[str, Any]:
    """Answer the instances that blocks have; no instance is unavailable here."""
    reserved = reservations_of(call)
    found = []
    for block, one in _wanted(call):
        free = reserved.available(one) if one.members["State"] == "active" else 0
        capacity = {
            "TotalCapacity": one.members["TotalInstanceCount"],
            "TotalAvailableCapacity": free,
            "TotalUnavailableCapacity": 0,
        }
        status: dict[str, Any] = {
            "CapacityBlockId": block["CapacityBlockId"],
            **capacity,
            "CapacityReservationStatuses": [{"CapacityReservationId": one.id, **capacity}],
        }
        if "UltraserverType" in block:
            active = one.members["State"] == "active"
            status["InterconnectStatus"] = "ok" if active else "insufficient-data"
        if matches(status, call.parameters.get("Filters", []), _STATUS_FILTERS):
            found.append(status)
    refuse_dry_run(call)
    return paged(
        call, "CapacityBlockStatuses", found, default=1000, stale_page_code="InvalidNextToken"
    )


def _offering(call: Call, reserved: Reserved, offering_id: str) -> dict[str, Any]:
    """https://docs.aws.amazon.com/ec2/latest/devguide/errors-overview.html has the three codes."""
    if not _OFFERING_ID.fullmatch(offering_id):
        raise AwsError(
            "InvalidCapacityBlockOfferingIdMalformed",
            f"The Capacity Block offering ID '{offering_id}' is malformed.",
        )
    found = reserved.offerings.get(offering_id)
    if found is None and offering_id not in reserved.bought_offerings:
        raise AwsError(
            "InvalidCapacityBlockOfferingIdNotFound",
            f"The Capacity Block offering ID '{offering_id}' cannot be found for this account.",
        )
    if found is not None and found["StartDate"] > call.now:
        free = free_in(
            reserved,
            found["InstanceType"],
            found["_ZoneId"],
            found["StartDate"],
            found["EndDate"],
        )
        if free is None or free >= found["InstanceCount"]:
            return found
    raise AwsError(
        "InvalidCapacityBlockOfferingIdExpired",
        f"The Capacity Block offering ID '{offering_id}' is no longer available.",
    )


def _check_limits(call: Call, reserved: Reserved, instance_type: str, count: int) -> None:
    """Refuse more than the 256 instances of the user guide, or the family's quota of vCPUs.

    EC2's codes for both are not published; these are its general codes.
    """
    blocks = [
        item.members
        for item in reserved.by_id.values()
        if item.is_block and item.members["State"] not in ENDED
    ]
    in_all = sum(block["TotalInstanceCount"] for block in blocks)
    if in_all + count > _MOST_INSTANCES_IN_ALL:
        raise AwsError(
            "ResourceLimitExceeded",
            f"You can have up to {_MOST_INSTANCES_IN_ALL} instances across Capacity Blocks; "
            f"{in_all} are in blocks and {count} are requested.",
        )
    quota, vcpus = block_quota(call, instance_type), catalog_facts.vcpus_of(instance_type)
    if quota is None or quota.value is None or vcpus is None:
        return
    family = instance_type.partition(".")[0]
    held = sum(
        block["TotalInstanceCount"] * (catalog_facts.vcpus_of(block["InstanceType"]) or 0)
        for block in blocks
        if block["InstanceType"].partition(".")[0] == family
    )
    held += call.world.usage.get(f"ec2/{quota.code}", 0)
    if held + vcpus * count > quota.value:
        raise AwsError(
            "ResourceLimitExceeded",
            f"The limit '{quota.name}' is {quota.value:g} vCPUs; {held:g} are in blocks and "
            f"{vcpus * count} are requested.",
        )


def _wanted(call: Call) -> list[tuple[dict[str, Any], Reservation]]:
    reserved, wanted = reservations_of(call), call.parameters.get("CapacityBlockIds", [])
    for block_id in wanted:
        if block_id not in reserved.blocks:
            raise AwsError(
                "InvalidCapacityBlockId.NotFound",
                f"The Capacity Block ID '{block_id}' does not exist",
            )
    return [
        (block, reserved.by_id[block["_Reservations"][0]])
        for block_id, block in reserved.blocks.items()
        if not wanted or block_id in wanted
    ]


def _shape(call: Call, block: Mapping[str, Any], one: Reservation) -> dict[str, Any]:
    state = one.members["State"]
    shown = {
        "CapacityBlockId": block["CapacityBlockId"],
        "AvailabilityZone": one.members["AvailabilityZone"],
        "AvailabilityZoneId": one.members["AvailabilityZoneId"],
        "CapacityReservationIds": list(block["_Reservations"]),
        "StartDate": one.members["StartDate"],
        "CreateDate": one.members["CreateDate"],
        "State": _STATES.get(state, state),
        "Tags": tags_of(call, block["CapacityBlockId"]),
    }
    if "EndDate" in one.members:
        shown["EndDate"] = one.members["EndDate"]
    if "UltraserverType" in block:
        shown["UltraserverType"] = block["UltraserverType"]
    return shown
