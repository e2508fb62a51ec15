"""Interruptible capacity reservations: instances that the owner of a reservation lends.

API model (botocore 1.44.5), CreateInterruptibleCapacityReservationAllocation and
UpdateInterruptibleCapacityReservationAllocation; PCS user guide, capacity-reservations-iodcr. The
error codes are ours: EC2's were not read. Allocations are complete at once, and instances whose
capacity is reclaimed end without the notice of two minutes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.ec2.capacity_reservations import find, reservations_of
from clusterwright_localaws.services.ec2.common import new_id, refuse_dry_run, tag_new
from clusterwright_localaws.services.ec2.reserved import Reservation, ec2_backend

_ALLOCATION: Final = "InterruptibleCapacityAllocation"
_TYPE: Final = "adhoc"


@operation("ec2", "CreateInterruptibleCapacityReservationAllocation")
def create_allocation(call: Call) -> Mapping[str, Any]:
    request, reserved = call.parameters, reservations_of(call)
    source, count = find(call, request["CapacityReservationId"]), int(request["InstanceCount"])
    _check_source(source)
    if count < 1:
        raise AwsError("InvalidParameterValue", "InstanceCount must be at least 1.")
    _check_count(source, count, reserved.available(source))
    refuse_dry_run(call)
    identifier = new_id("cr")
    members = {
        **source.members,
        "CapacityReservationId": identifier,
        "CapacityReservationArn": call.arn("ec2", f"capacity-reservation/{identifier}"),
        "TotalInstanceCount": count,
        "InstanceMatchCriteria": "targeted",
        "CreateDate": call.now,
        "StartDate": call.now,
        "Interruptible": True,
        "InterruptionInfo": {
            "SourceCapacityReservationId": source.id,
            "InterruptionType": _TYPE,
        },
    }
    reserved.add(Reservation(members))
    source.members["TotalInstanceCount"] -= count
    source.members[_ALLOCATION] = {
        "InstanceCount": count,
        "TargetInstanceCount": count,
        "Status": "active",
        "InterruptibleCapacityReservationId": identifier,
        "InterruptionType": _TYPE,
        "ZeroSizePreference": request.get("ZeroSizePreference", "default"),
    }
    tag_new(call, identifier, "capacity-reservation")
    return _answer(source)


@operation("ec2", "UpdateInterruptibleCapacityReservationAllocation")
def update_allocation(call: Call) -> Mapping[str, Any]:
    """Lend more instances, or reclaim some; instances beyond the new number end."""
    request, reserved = call.parameters, reservations_of(call)
    source = find(call, request["CapacityReservationId"])
    allocation = source.members.get(_ALLOCATION)
    if allocation is None or allocation["Status"] != "active":
        raise AwsError(
            "InvalidParameterValue", f"{source.id} has no interruptible capacity allocation."
        )
    lent = reserved.by_id[allocation["InterruptibleCapacityReservationId"]]
    wanted = int(request.get("TargetInstanceCount", lent.members["TotalInstanceCount"]))
    if wanted < 0:
        raise AwsError("InvalidParameterValue", "TargetInstanceCount must not be negative.")
    more = wanted - lent.members["TotalInstanceCount"]
    _check_count(source, more, reserved.available(source))
    refuse_dry_run(call)
    ending = [one.id for one in reserved.instances_in(lent.id)[wanted:]]
    if ending:
        ec2_backend(call.account, call.region).terminate_instances(ending)
    lent.members["TotalInstanceCount"] += more
    source.members["TotalInstanceCount"] -= more
    allocation["InstanceCount"] = allocation["TargetInstanceCount"] = wanted
    if "ZeroSizePreference" in request:
        allocation["ZeroSizePreference"] = request["ZeroSizePreference"]
    if wanted == 0 and allocation["ZeroSizePreference"] != "retain":
        lent.members["State"], allocation["Status"] = "cancelled", "canceled"
    return {
        **_answer(source),
        "InterruptibleCapacityReservationId": lent.id,
        "InstanceCount": allocation["InstanceCount"],
    }


def _check_source(source: Reservation) -> None:
    members = source.members
    reason = None
    if source.is_block or members.get("Interruptible"):
        reason = "is not an On-Demand Capacity Reservation"
    elif members["State"] != "active":
        reason = f"is {members['State']}, not active"
    elif members.get("EndDate") is not None:
        reason = "has an end date"
    elif (members.get(_ALLOCATION) or {}).get("Status") == "active":
        reason = "has an interruptible capacity allocation already"
    if reason is not None:
        raise AwsError("InvalidParameterValue", f"The capacity reservation {source.id} {reason}.")


def _check_count(source: Reservation, count: int, available: int) -> None:
    if count > available:
        raise AwsError(
            "InvalidParameterValue",
            f"{count} instances cannot be allocated: {source.id} has {available} unused ones.",
        )


def _answer(source: Reservation) -> dict[str, Any]:
    allocation = source.members[_ALLOCATION]
    return {
        "SourceCapacityReservationId": source.id,
        "TargetInstanceCount": allocation["TargetInstanceCount"],
        "Status": allocation["Status"],
        "InterruptionType": allocation["InterruptionType"],
    }
