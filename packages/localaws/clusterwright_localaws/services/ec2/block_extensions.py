"""Extensions of capacity blocks.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-extend.html: the block is
active or scheduled and no extension waits for its payment; it ends in an hour at the earliest and
in 56 days at the latest; an extension has a duration that a block may have, and at most 182 days
in all.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.pagination import paged
from clusterwright_localaws.services.ec2.block_offerings import (
    check_hours,
    fee,
    free_in,
    zone_type,
)
from clusterwright_localaws.services.ec2.capacity_reservations import find, reservations_of
from clusterwright_localaws.services.ec2.common import matches, new_id, refuse_dry_run
from clusterwright_localaws.services.ec2.reserved import Reservation, Reserved

_SOONEST, _LATEST = timedelta(hours=1), timedelta(days=56)
_LONGEST = timedelta(days=182)
_FILTERS = {
    "availability-zone": "AvailabilityZone",
    "availability-zone-id": "AvailabilityZoneId",
    "capacity-block-extension-offering-id": "CapacityBlockExtensionOfferingId",
    "capacity-block-extension-status": "CapacityBlockExtensionStatus",
    "capacity-reservation-id": "CapacityReservationId",
    "instance-type": "InstanceType",
}


@operation("ec2", "DescribeCapacityBlockExtensionOfferings")
def describe_capacity_block_extension_offerings(call: Call) -> Mapping[str, Any]:
    request, reserved = call.parameters, reservations_of(call)
    block = _block(call, request["CapacityReservationId"])
    hours = int(request["CapacityBlockExtensionDurationHours"])
    check_hours(hours, "CapacityBlockExtensionDurationHours")
    _check_state(block)
    refuse_dry_run(call)
    found = []
    if call.world.capacity_block_offerings != "none" and _in_time(call, block, hours):
        offering = _offering(call, reserved, block, hours)
        if _has_room(reserved, block, offering):
            kept = {**offering, "_ReservationId": block.id}
            reserved.extension_offerings[offering["CapacityBlockExtensionOfferingId"]] = kept
            found.append(offering)
    return paged(
        call,
        "CapacityBlockExtensionOfferings",
        found,
        default=1000,
        stale_page_code="InvalidNextToken",
    )


@operation("ec2", "PurchaseCapacityBlockExtension")
def purchase_capacity_block_extension(call: Call) -> Mapping[str, Any]:
    request, reserved = call.parameters, reservations_of(call)
    block = _block(call, request["CapacityReservationId"])
    offering_id = request["CapacityBlockExtensionOfferingId"]
    offering = reserved.extension_offerings.get(offering_id)
    if offering is None or offering["_ReservationId"] != block.id:
        raise AwsError(
            "InvalidCapacityBlockOfferingIdNotFound",
            f"The Capacity Block offering ID '{offering_id}' cannot be found for this account.",
        )
    _check_state(block)
    begins = offering["CapacityBlockExtensionStartDate"]
    if begins != block.members["EndDate"] or not _has_room(reserved, block, offering):
        raise AwsError(
            "InvalidCapacityBlockOfferingIdExpired",
            f"The Capacity Block offering ID '{offering_id}' is no longer available.",
        )
    refuse_dry_run(call)
    del reserved.extension_offerings[offering_id]
    extension = {
        "CapacityReservationId": block.id,
        **{name: value for name, value in offering.items() if name in _OF_EXTENSIONS},
        "CapacityBlockExtensionStatus": "payment-pending",
        "CapacityBlockExtensionPurchaseDate": call.now,
        "_PaidAt": call.now + timedelta(seconds=call.world.delays.payment),
    }
    block.extensions.append(extension)
    return {"CapacityBlockExtensions": [_shown(extension)]}


@operation("ec2", "DescribeCapacityBlockExtensionHistory")
def describe_capacity_block_extension_history(call: Call) -> Mapping[str, Any]:
    requested = call.parameters.get("CapacityReservationIds") or ()
    for reservation_id in requested:
        _block(call, reservation_id)
    refuse_dry_run(call)
    found = [
        shown
        for reservation in reservations_of(call).by_id.values()
        if not requested or reservation.id in requested
        for shown in map(_shown, reservation.extensions)
        if matches(shown, call.parameters.get("Filters", []), _FILTERS)
    ]
    return paged(
        call, "CapacityBlockExtensions", found, default=1000, stale_page_code="InvalidNextToken"
    )


_OF_EXTENSIONS = frozenset(
    {
        "InstanceType",
        "InstanceCount",
        "AvailabilityZone",
        "AvailabilityZoneId",
        "CapacityBlockExtensionOfferingId",
        "CapacityBlockExtensionDurationHours",
        "CapacityBlockExtensionStartDate",
        "CapacityBlockExtensionEndDate",
        "UpfrontFee",
        "CurrencyCode",
        "ZoneType",
    }
)


def _block(call: Call, reservation_id: str) -> Reservation:
    found = find(call, reservation_id)
    if not found.is_block or "EndDate" not in found.members:
        raise AwsError(
            "InvalidParameterValue",
            f"The capacity reservation {reservation_id} is not of a Capacity Block.",
        )
    return found


def _check_state(one: Reservation) -> None:
    """Refuse by the documented rule; the error code is EC2's general one."""
    state = one.members["State"]
    if state not in ("active", "scheduled"):
        raise AwsError(
            "IncorrectState",
            f"The Capacity Block of {one.id} is in state {state}. To extend a Capacity Block, it "
            "must have a status of active or scheduled.",
        )
    if any(e["CapacityBlockExtensionStatus"] == "payment-pending" for e in one.extensions):
        raise AwsError(
            "IncorrectState",
            f"The Capacity Block of {one.id} has an extension that is payment-pending.",
        )


def _in_time(call: Call, one: Reservation, hours: int) -> bool:
    left = one.members["EndDate"] - call.now
    whole = one.members["EndDate"] + timedelta(hours=hours) - one.members["StartDate"]
    # A block that began at another time than 11:30 is up to a day longer than requested.
    return bool(_SOONEST <= left <= _LATEST and whole < _LONGEST + timedelta(days=1))


def _has_room(reserved: Reserved, one: Reservation, offering: Mapping[str, Any]) -> bool:
    """Return whether capacity remains; during the extension the block's own instances are free."""
    members = one.members
    free = free_in(
        reserved,
        members["InstanceType"],
        members["AvailabilityZoneId"],
        offering["CapacityBlockExtensionStartDate"],
        offering["CapacityBlockExtensionEndDate"],
        without=one.id,
    )
    count = members["TotalInstanceCount"]
    own = count if members["State"] == "active" else 0
    return free is None or free + own >= count


def _offering(call: Call, reserved: Reserved, one: Reservation, hours: int) -> dict[str, Any]:
    from clusterwright_localaws.core import catalog_facts

    members = one.members
    zone_id, count = members["AvailabilityZoneId"], int(members["TotalInstanceCount"])
    ultra = reserved.blocks.get(members.get("CapacityBlockId", ""), {}).get("UltraserverType")
    units = count
    if ultra is not None and ultra in catalog_facts.catalog().ultraservers:
        each = catalog_facts.known(catalog_facts.catalog().ultraservers[ultra].instance_count)
        units = count // int(each or count)
    return {
        "CapacityBlockExtensionOfferingId": new_id("cb"),
        "InstanceType": members["InstanceType"],
        "InstanceCount": count,
        "AvailabilityZone": members["AvailabilityZone"],
        "AvailabilityZoneId": zone_id,
        "StartDate": members["StartDate"],
        "CapacityBlockExtensionStartDate": members["EndDate"],
        "CapacityBlockExtensionEndDate": members["EndDate"] + timedelta(hours=hours),
        "CapacityBlockExtensionDurationHours": hours,
        "Tenancy": "default",
        "ZoneType": zone_type(zone_id),
        **fee(call, members["InstanceType"], ultra, zone_id, units, Decimal(hours)),
    }


def _shown(extension: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in extension.items() if not name.startswith("_")}
