"""On-demand capacity reservations: the world's, and those created by calls.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateCapacityReservation.html
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.pagination import paged
from clusterwright_localaws.services.ec2.capacity_checks import (
    check_capacity,
    check_offered,
    check_vcpus,
)
from clusterwright_localaws.services.ec2.common import (
    matches,
    new_id,
    refuse_dry_run,
    tag_new,
    tags_of,
)
from clusterwright_localaws.services.ec2.reserved import ENDED, Reservation, Reserved, reserved_in
from clusterwright_localaws.services.ec2.zones import zone_id_of, zone_name

# "Valid range: 1 - 1000" of CreateCapacityReservation; ModifyCapacityReservation: "can't be
# increased or decreased by more than 1000 in a single request" (botocore's model of EC2).
_MOST_AT_ONCE = 1000
_FILTERS = {
    "availability-zone": "AvailabilityZone",
    "availability-zone-id": "AvailabilityZoneId",
    "end-date": "EndDate",
    "end-date-type": "EndDateType",
    "instance-match-criteria": "InstanceMatchCriteria",
    "instance-platform": "InstancePlatform",
    "instance-type": "InstanceType",
    "outpost-arn": "OutpostArn",
    "owner-id": "OwnerId",
    "placement-group-arn": "PlacementGroupArn",
    "start-date": "StartDate",
    "state": "State",
    "tenancy": "Tenancy",
}


@operation("ec2", "CreateCapacityReservation")
def create_capacity_reservation(call: Call) -> Mapping[str, Any]:
    request, reserved = call.parameters, reservations_of(call)
    zone, zone_id = _zone(call)
    count, instance_type = request["InstanceCount"], request["InstanceType"]
    if not 1 <= count <= _MOST_AT_ONCE:
        raise AwsError(
            "InvalidParameterValue",
            f"Value ({count}) for parameter InstanceCount is invalid. It must be between 1 and "
            f"{_MOST_AT_ONCE}",
        )
    if "StartDate" in request or "CommitmentDuration" in request:
        raise AwsError(
            "UnsupportedOperation",
            "the local AWS does not support future-dated capacity reservations",
        )
    end = _checked_end(call)
    _check_instance_type(instance_type)
    _check_group(call)
    check_offered(call.runtime, call.region, instance_type, zone_id)
    check_vcpus(call.runtime, call.account, call.region, instance_type, count)
    check_capacity(reserved, instance_type, zone_id, count)
    refuse_dry_run(call)
    reservation_id = new_id("cr")
    one: dict[str, Any] = {
        "CapacityReservationId": reservation_id,
        "OwnerId": call.account,
        "CapacityReservationArn": call.arn("ec2", f"capacity-reservation/{reservation_id}"),
        "InstanceType": instance_type,
        "InstancePlatform": request["InstancePlatform"],
        "AvailabilityZone": zone,
        "AvailabilityZoneId": zone_id,
        "Tenancy": request.get("Tenancy", "default"),
        "TotalInstanceCount": count,
        "EbsOptimized": request.get("EbsOptimized", False),
        "EphemeralStorage": request.get("EphemeralStorage", False),
        "State": "active",
        "StartDate": call.now,
        "EndDateType": request.get("EndDateType", "unlimited" if end is None else "limited"),
        "InstanceMatchCriteria": request.get("InstanceMatchCriteria", "open"),
        "CreateDate": call.now,
        "ReservationType": "default",
    }
    if "PlacementGroupArn" in request:
        one["PlacementGroupArn"] = request["PlacementGroupArn"]
    if end is not None:
        one["EndDate"] = end
    reserved.add(Reservation(one))
    tag_new(call, reservation_id, "capacity-reservation")
    return {"CapacityReservation": shape(call, reserved.by_id[reservation_id])}


@operation("ec2", "DescribeCapacityReservations")
def describe_capacity_reservations(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    requested = request.get("CapacityReservationIds", [])
    for reservation_id in requested:
        find(call, reservation_id)
    refuse_dry_run(call)
    found = [
        shown
        for shown in (
            shape(call, reservation) for reservation in reservations_of(call).by_id.values()
        )
        if (not requested or shown["CapacityReservationId"] in requested)
        and matches(shown, request.get("Filters", []), _FILTERS)
    ]
    return paged(
        call, "CapacityReservations", found, default=1000, stale_page_code="InvalidNextToken"
    )


@operation("ec2", "GetCapacityReservationUsage")
def get_capacity_reservation_usage(call: Call) -> Mapping[str, Any]:
    """Answer the usage of a reservation: the owner's only, since reservations are not shared
    here.
    """
    item = find(call, call.parameters["CapacityReservationId"])
    refuse_dry_run(call)
    reserved = reservations_of(call)
    own = len(reserved.instances_in(item.id))
    usages = [{"AccountId": call.account, "UsedInstanceCount": own + item.used_by_others}]
    return {
        "CapacityReservationId": item.id,
        "InstanceType": item.members["InstanceType"],
        "TotalInstanceCount": item.members["TotalInstanceCount"],
        "AvailableInstanceCount": reserved.available(item),
        "State": item.members["State"],
        "InstanceUsages": usages,
    }


@operation("ec2", "ModifyCapacityReservation")
def modify_capacity_reservation(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    found = find(call, request["CapacityReservationId"])
    _refuse_block(found)
    reserved, one = reservations_of(call), found.members
    if one["State"] != "active":
        raise AwsError(
            "IncorrectState",
            f"The capacity reservation {found.id} is in state {one['State']} and cannot be "
            "modified",
        )
    end = _checked_end(call)
    count = request.get("InstanceCount")
    if count is not None:
        used, more = reserved.used(found), count - one["TotalInstanceCount"]
        if count < max(used, 1):
            raise AwsError(
                "InvalidParameterValue",
                f"Value ({count}) for parameter InstanceCount is invalid: {used} instances run in "
                "the reservation",
            )
        if abs(more) > _MOST_AT_ONCE:
            raise AwsError(
                "InvalidParameterValue",
                f"Value ({count}) for parameter InstanceCount is invalid. The number of instances "
                f"can't be increased or decreased by more than {_MOST_AT_ONCE} in a single "
                "request",
            )
        if more > 0:
            kind, zone_id = one["InstanceType"], one["AvailabilityZoneId"]
            check_vcpus(call.runtime, call.account, call.region, kind, more)
            check_capacity(reserved, kind, zone_id, more)
    refuse_dry_run(call)
    if count is not None:
        one["TotalInstanceCount"] = count
    for key in ("EndDateType", "InstanceMatchCriteria"):
        if key in request:
            one[key] = request[key]
    if end is not None:
        one |= {"EndDate": end, "EndDateType": "limited"}
    if one["EndDateType"] == "unlimited":
        one.pop("EndDate", None)
    return {"Return": True}


@operation("ec2", "CancelCapacityReservation")
def cancel_capacity_reservation(call: Call) -> Mapping[str, Any]:
    """Cancel a reservation; its instances continue as on-demand instances."""
    item = find(call, call.parameters["CapacityReservationId"])
    _refuse_block(item)
    refuse_dry_run(call)
    for instance in reservations_of(call).instances_in(item.id):
        instance.capacity_reservation_id = None
    if item.members["State"] not in ENDED:
        item.members["State"] = "cancelled"
    return {"Return": True}


def reservations_of(call: Call) -> Reserved:
    """Return the reserved capacity of the caller's account and region, with the world's."""
    return reserved_in(call.runtime, call.account, call.region)


def find(call: Call, reservation_id: str) -> Reservation:
    """One reservation.

    Raises
    ------
    AwsError
        InvalidCapacityReservationId.NotFound.
    """
    found = reservations_of(call).by_id.get(reservation_id)
    if found is None:
        raise AwsError(
            "InvalidCapacityReservationId.NotFound",
            f"The capacity reservation id '{reservation_id}' does not exist",
        )
    return found


def shape(call: Call, one: Reservation) -> dict[str, Any]:
    """Return a reservation in the shape of the API."""
    reserved = reservations_of(call)
    shown = {
        **one.members,
        "AvailableInstanceCount": reserved.available(one),
        "Tags": tags_of(call, one.id),
    }
    used = reserved.used(one)
    if used and one.members["State"] == "active":
        shown["CapacityAllocations"] = [{"AllocationType": "used", "Count": used}]
    return shown


def _refuse_block(one: Reservation) -> None:
    if one.is_block:
        raise AwsError(
            "UnsupportedOperation",
            f"You can't modify or cancel a Capacity Block. ({one.id})",
        )


def _check_instance_type(name: str) -> None:
    from moto.ec2.models.instance_types import INSTANCE_TYPES

    if name not in INSTANCE_TYPES:
        raise AwsError("InvalidParameterValue", f"Invalid value '{name}' for InstanceType.")


def _check_group(call: Call) -> None:
    from clusterwright_localaws.services.ec2.placement_groups import by_arn

    arn = call.parameters.get("PlacementGroupArn")
    if arn is None:
        return
    group = by_arn(call, arn)
    if group["Strategy"] != "cluster":
        raise AwsError(
            "InvalidParameterValue",
            f"The placement group '{group['GroupName']}' has the strategy {group['Strategy']}. A "
            "Capacity Reservation takes a cluster placement group.",
        )


def _zone(call: Call) -> tuple[str, str]:
    name = call.parameters.get("AvailabilityZone")
    zone_id = call.parameters.get("AvailabilityZoneId")
    if name:
        found = zone_id_of(call.region, name)
        if found is None:
            raise AwsError("InvalidParameterValue", f"Invalid availability zone: [{name}]")
        return name, found
    if zone_id:
        named = zone_name(call.region, zone_id)
        if named is None:
            raise AwsError("InvalidParameterValue", f"Invalid availability zone-id: [{zone_id}]")
        return named, zone_id
    raise AwsError(
        "MissingParameter",
        "The request must contain the parameter AvailabilityZone or AvailabilityZoneId",
    )


def _checked_end(call: Call) -> datetime | None:
    kind, end = call.parameters.get("EndDateType"), call.parameters.get("EndDate")
    if kind == "limited" and end is None:
        raise AwsError(
            "InvalidParameterCombination", "EndDate is required if EndDateType is limited"
        )
    if end is None:
        return None
    if kind == "unlimited":
        raise AwsError(
            "InvalidParameterCombination",
            "EndDate must not be specified if EndDateType is unlimited",
        )
    moment: datetime = end if end.tzinfo else end.replace(tzinfo=UTC)
    if moment <= call.now:
        raise AwsError("InvalidParameterValue", "EndDate must be in the future")
    return moment
