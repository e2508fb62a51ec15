"""On-demand capacity reservations: the world's, and those that are made here.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateCapacityReservation.html
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from clusterwright.localaws import facts, quotas
from clusterwright.localaws.call import AwsError, Call, operation
from clusterwright.localaws.services.ec2.common import (
    matches,
    new_id,
    refuse_dry_run,
    tag_new,
    tags_of,
)
from clusterwright.localaws.world import moment_of
from clusterwright.localaws.zones import zone_id_of, zone_name

_ENDED = frozenset({"cancelled", "expired", "failed"})
# Beside the members of the answer: the world's file says the state, whatever the time is.
_HELD = "held"
_FILTERS = {
    "availability-zone": "AvailabilityZone",
    "availability-zone-id": "AvailabilityZoneId",
    "end-date-type": "EndDateType",
    "instance-match-criteria": "InstanceMatchCriteria",
    "instance-platform": "InstancePlatform",
    "instance-type": "InstanceType",
    "owner-id": "OwnerId",
    "placement-group-arn": "PlacementGroupArn",
    "state": "State",
    "tenancy": "Tenancy",
}


@operation("ec2", "CreateCapacityReservation")
def create_capacity_reservation(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    zone, zone_id = _zone(call)
    count, instance_type = request["InstanceCount"], request["InstanceType"]
    if count < 1:
        raise AwsError(
            "InvalidParameterValue",
            f"Value ({count}) for parameter InstanceCount is invalid. It must be at least 1",
        )
    if "StartDate" in request or "CommitmentDuration" in request:
        raise AwsError(
            "UnsupportedOperation",
            "the local AWS does not make future-dated capacity reservations",
        )
    end = _checked_end(call)
    _check_offered(call, instance_type, zone_id)
    _check_capacity(call, instance_type, zone_id, count)
    _check_vcpus(call, instance_type, count)
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
        "AvailableInstanceCount": count,
        "EbsOptimized": request.get("EbsOptimized", False),
        "EphemeralStorage": request.get("EphemeralStorage", False),
        "State": "active",
        "StartDate": call.now,
        "EndDateType": request.get("EndDateType", "unlimited"),
        "InstanceMatchCriteria": request.get("InstanceMatchCriteria", "open"),
        "CreateDate": call.now,
        "ReservationType": "default",
    }
    if "PlacementGroupArn" in request:
        one["PlacementGroupArn"] = request["PlacementGroupArn"]
    if end is not None:
        one["EndDate"] = end
    reservations_of(call)[reservation_id] = one
    tag_new(call, reservation_id, "capacity-reservation")
    return {"CapacityReservation": _shape(call, one)}


@operation("ec2", "DescribeCapacityReservations")
def describe_capacity_reservations(call: Call) -> Mapping[str, Any]:
    request, reservations = call.parameters, reservations_of(call)
    wanted = request.get("CapacityReservationIds", [])
    for reservation_id in wanted:
        _find(call, reservation_id)
    found = [
        shape
        for shape in (_shape(call, one) for one in reservations.values())
        if (not wanted or shape["CapacityReservationId"] in wanted)
        and matches(shape, request.get("Filters", []), _FILTERS)
    ]
    size = request.get("MaxResults", 1000)
    start = int(request.get("NextToken") or 0)
    answer: dict[str, Any] = {"CapacityReservations": found[start : start + size]}
    if start + size < len(found):
        answer["NextToken"] = str(start + size)
    return answer


@operation("ec2", "ModifyCapacityReservation")
def modify_capacity_reservation(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    one = _find(call, request["CapacityReservationId"])
    if one["State"] != "active":
        raise AwsError(
            "IncorrectState",
            f"The capacity reservation {one['CapacityReservationId']} is in state {one['State']} "
            "and cannot be modified",
        )
    end = _checked_end(call)
    count = request.get("InstanceCount")
    if count is not None:
        used = one["TotalInstanceCount"] - one["AvailableInstanceCount"]
        more = count - one["TotalInstanceCount"]
        if count < max(used, 1):
            raise AwsError(
                "InvalidParameterValue",
                f"Value ({count}) for parameter InstanceCount is invalid: {used} instances run in "
                "the reservation",
            )
        if more > 0:
            zone_id = one["AvailabilityZoneId"]
            _check_capacity(call, one["InstanceType"], zone_id, more)
            _check_vcpus(call, one["InstanceType"], more)
        refuse_dry_run(call)
        one["TotalInstanceCount"] = count
        one["AvailableInstanceCount"] += more
    for key in ("EndDateType", "InstanceMatchCriteria"):
        if key in request:
            one[key] = request[key]
    if end is not None:
        one["EndDate"] = end
    if one["EndDateType"] == "unlimited":
        one.pop("EndDate", None)
    return {"Return": True}


@operation("ec2", "CancelCapacityReservation")
def cancel_capacity_reservation(call: Call) -> Mapping[str, Any]:
    one = _find(call, call.parameters["CapacityReservationId"])
    refuse_dry_run(call)
    if one["State"] not in _ENDED:
        one["State"] = "cancelled"
        one["AvailableInstanceCount"] = 0
    return {"Return": True}


def reservations_of(call: Call) -> dict[str, dict[str, Any]]:
    """Return the reservations of the caller's account and region, the world's included."""
    found = call.runtime.store(
        "ec2 capacity reservations", call.account, call.region, lambda: _from_world(call)
    )
    for one in found.values():
        _advance(one, call.now)
    return found


def _from_world(call: Call) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    if call.region != call.world.region:
        return found
    for seed in call.world.capacity_reservations:
        start = moment_of(seed.start, call.now)
        end = moment_of(seed.end, call.now) if seed.end else None
        available = seed.available_instance_count
        one: dict[str, Any] = {
            "CapacityReservationId": seed.id,
            "OwnerId": call.account,
            "CapacityReservationArn": call.arn("ec2", f"capacity-reservation/{seed.id}"),
            "InstanceType": seed.instance_type,
            "InstancePlatform": "Linux/UNIX",
            "AvailabilityZone": zone_name(call.region, seed.zone_id) or "",
            "AvailabilityZoneId": seed.zone_id,
            "Tenancy": "default",
            "TotalInstanceCount": seed.instance_count,
            "AvailableInstanceCount": seed.instance_count if available is None else available,
            "EbsOptimized": False,
            "EphemeralStorage": False,
            "State": seed.state or "scheduled",
            _HELD: seed.state is not None,
            "StartDate": start,
            "EndDateType": "limited" if end else "unlimited",
            "InstanceMatchCriteria": "targeted",
            "CreateDate": start,
            "ReservationType": "capacity-block" if seed.kind == "capacity-block" else "default",
        }
        if end is not None:
            one["EndDate"] = end
        found[seed.id] = one
    return found


def _find(call: Call, reservation_id: str) -> dict[str, Any]:
    found = reservations_of(call).get(reservation_id)
    if found is None:
        raise AwsError(
            "InvalidCapacityReservationId.NotFound",
            f"The capacity reservation id '{reservation_id}' does not exist",
        )
    return found


def _shape(call: Call, one: dict[str, Any]) -> dict[str, Any]:
    shown = {key: value for key, value in one.items() if key != _HELD}
    return {**shown, "Tags": tags_of(call, one["CapacityReservationId"])}


def _advance(one: dict[str, Any], now: datetime) -> None:
    """Let a scheduled reservation begin and an active one end, where it is time."""
    if one.get(_HELD):
        return
    end = one.get("EndDate")
    if one["State"] == "scheduled" and one["StartDate"] <= now:
        one["State"] = "active"
    if one["State"] == "active" and end is not None and end <= now:
        one["State"], one["AvailableInstanceCount"] = "expired", 0


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


def _check_offered(call: Call, instance_type: str, zone_id: str) -> None:
    if facts.offered_in(call.runtime, instance_type, call.region, zone_id) is False:
        raise AwsError(
            "Unsupported",
            "The requested configuration is currently not supported. Please check the "
            f"documentation for supported configurations. ({instance_type} is not offered in "
            f"{zone_id})",
        )


def _check_capacity(call: Call, instance_type: str, zone_id: str, more: int) -> None:
    free = call.world.free_capacity(instance_type, zone_id)
    if free is None:
        return
    taken = sum(
        one["TotalInstanceCount"]
        for one in reservations_of(call).values()
        if one["State"] == "active"
        and one["InstanceType"] == instance_type
        and one["AvailabilityZoneId"] == zone_id
    )
    if taken + more > free:
        raise AwsError("InsufficientInstanceCapacity", "Insufficient capacity.", 400)


def _check_vcpus(call: Call, instance_type: str, more: int) -> None:
    """Reserved instances count against the on-demand vCPU quota of their family.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-concepts.html
    """
    described = facts.known(facts.catalog().quota_for(instance_type, "ec2-on-demand"))
    instance = facts.catalog().instance(instance_type)
    vcpus = facts.known(instance.vcpus) if instance is not None else None
    if described is None or described.code is None or vcpus is None:
        return
    limit = quotas.quota(call.runtime, call.region, "ec2", described.code)
    if limit is None or limit.value is None:
        return
    used = quotas.in_use(call.runtime, call.account, call.region, "ec2", described.code)
    used += _reserved_vcpus(call, described.code)
    if used + vcpus * more > limit.value:
        raise AwsError(
            "VcpuLimitExceeded",
            f"You have requested more vCPU capacity than your current vCPU limit of "
            f"{limit.value:g} allows for the instance bucket that the specified instance type "
            "belongs to. Please visit http://aws.amazon.com/contact-us/ec2-request to request an "
            "adjustment to this limit.",
        )


def _reserved_vcpus(call: Call, code: str) -> float:
    total = 0.0
    for one in reservations_of(call).values():
        if one["State"] != "active" or one["ReservationType"] == "capacity-block":
            continue
        described = facts.known(facts.catalog().quota_for(one["InstanceType"], "ec2-on-demand"))
        instance = facts.catalog().instance(one["InstanceType"])
        if described is not None and described.code == code and instance is not None:
            total += (facts.known(instance.vcpus) or 0) * one["TotalInstanceCount"]
    return total
