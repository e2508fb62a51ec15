"""Network topology of instances and reservations.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-topology-prerequisites.html has
the types and their number of network nodes; how-ec2-instance-topology-works.html: from the top
down, the last node next to the instance; "hashed based on your account".

Shared nodes are invented here, and stable: everything in a zone shares the top node; instances of
one capacity block, reservation or cluster placement group share all but the last node; sixteen
instances in the order of their launch share the last node. An UltraServer's instances share all
nodes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.pagination import paged
from clusterwright_localaws.services.ec2.capacity_reservations import find, reservations_of
from clusterwright_localaws.services.ec2.common import matches, refuse_dry_run
from clusterwright_localaws.services.ec2.placement_groups import groups_in, unknown_group
from clusterwright_localaws.services.ec2.reserved import Reservation, ec2_backend, running
from clusterwright_localaws.services.ec2.zones import zone_id_of

_THREE_FAMILIES = ("g6e", "g7e", "hpc6a", "hpc6id", "hpc7g", "hpc7a", "hpc8a")
_THREE = frozenset(
    {
        "p3dn.24xlarge",
        "p4d.24xlarge",
        "p4de.24xlarge",
        "p5.48xlarge",
        "p5e.48xlarge",
        "p5en.48xlarge",
        "p6e-gb200.36xlarge",
        "trn1.2xlarge",
        "trn1.32xlarge",
        "trn1n.32xlarge",
        "trn2.48xlarge",
        "trn2u.48xlarge",
    }
)
_FOUR = frozenset({"p6-b200.48xlarge", "p6-b300.48xlarge"})
_PER_LAST_NODE = 16
_MOST_IDS = 100
_MOST_RESERVATION_IDS = 10
# "The DescribeCapacityReservationTopology API is not supported in" these.
_WITHOUT_RESERVATIONS = frozenset({"il-central-1", "us-gov-west-1"})
_FILTERS = {
    "availability-zone": "AvailabilityZone",
    "instance-type": "InstanceType",
    "zone-id": "ZoneId",
}
_RESERVATION_FILTERS = {"availability-zone": "AvailabilityZone", "instance-type": "InstanceType"}


@operation("ec2", "DescribeInstanceTopology")
def describe_instance_topology(call: Call) -> Mapping[str, Any]:
    """Answer the running instances; types without topology have no network nodes.

    Nodes of HyperPod run in an account of AWS and are not listed, as in DescribeInstances.
    """
    request = call.parameters
    ids, names = request.get("InstanceIds") or [], request.get("GroupNames") or []
    _check_ids(ids, _MOST_IDS, "InstanceId", request)
    _check_ids(names, _MOST_IDS, "GroupName", {})
    groups = groups_in(call.runtime, call.account, call.region)
    for name in names:
        if name not in groups:
            raise unknown_group(name)
    _check_instances(call, ids)
    refuse_dry_run(call)
    found = []
    for shown, group in _instances(call):
        requested = (not ids or shown["InstanceId"] in ids) and (not names or group in names)
        if requested and matches(shown, request.get("Filters", []), _FILTERS):
            found.append(shown)
    return paged(
        call,
        "Instances",
        found,
        default=20 if not ids else _MOST_IDS,
        stale_page_code="InvalidNextToken",
    )


@operation("ec2", "DescribeCapacityReservationTopology")
def describe_capacity_reservation_topology(call: Call) -> Mapping[str, Any]:
    """Answer active and pending reservations, with the nodes that all their instances share."""
    request = call.parameters
    if call.region in _WITHOUT_RESERVATIONS:
        raise AwsError(
            "UnsupportedOperation",
            f"DescribeCapacityReservationTopology is not supported in {call.region}.",
        )
    ids = request.get("CapacityReservationIds") or []
    _check_ids(ids, _MOST_RESERVATION_IDS, "CapacityReservationId", request)
    for reservation_id in ids:
        find(call, reservation_id)
    refuse_dry_run(call)
    found = [
        shown
        for shown in (
            _reservation(call, reservation)
            for reservation in reservations_of(call).by_id.values()
            if reservation.members["State"] in ("active", "pending")
            and (not ids or reservation.id in ids)
        )
        if matches(shown, request.get("Filters", []), _RESERVATION_FILTERS)
    ]
    return paged(
        call,
        "CapacityReservations",
        found,
        default=_MOST_RESERVATION_IDS,
        stale_page_code="InvalidNextToken",
    )


def layers(instance_type: str) -> int:
    """Return the number of network nodes of a type; 0 for a type without topology."""
    if instance_type in _FOUR:
        return 4
    family = instance_type.partition(".")[0]
    return 3 if instance_type in _THREE or family in _THREE_FAMILIES else 0


def network_nodes(
    account: str, zone_id: str, together: str, position: int, count: int, *, ultra: bool = False
) -> list[str]:
    """The nodes from the top down.

    Parameters
    ----------
    together:
        What groups the instances: a block, a reservation, a placement group, or one launch.
    position:
        Of the instance among those that are kept together.
    count:
        How many layers the type has.
    """
    paths = [f"{zone_id}", *(f"{zone_id}/{together}/{n}" for n in range(1, count - 1))]
    last = 0 if ultra else position // _PER_LAST_NODE
    paths.append(f"{zone_id}/{together}/last/{last}")
    digests = [hashlib.sha256(f"{account}/{path}".encode()).hexdigest() for path in paths[:count]]
    return [f"nn-{digest[:17]}" for digest in digests]


def _instances(call: Call) -> list[tuple[dict[str, Any], str]]:
    positions: dict[str, int] = {}
    found = []
    for instance in running(call.account, call.region):
        if instance.state != "running":
            continue
        group, zone = instance.placement.group_name or "", instance.placement.zone
        zone_id = zone_id_of(call.region, zone) or ""
        together, block = _together(call, instance, group)
        position = positions.get(together, 0)
        positions[together] = position + 1
        shown: dict[str, Any] = {
            "InstanceId": instance.id,
            "InstanceType": instance.instance_type,
            "AvailabilityZone": zone,
            "ZoneId": zone_id,
        }
        count = layers(instance.instance_type)
        if count:
            shown["NetworkNodes"] = network_nodes(
                call.account, zone_id, together, position, count, ultra=block is not None
            )
        if group:
            shown["GroupName"] = group
        if block is not None:
            shown["CapacityBlockId"] = block
        found.append((shown, group))
    return found


def _together(call: Call, instance: Any, group: str) -> tuple[str, str | None]:
    """Return what groups an instance, and its UltraServer's block if it has one."""
    reserved = reservations_of(call)
    item = reserved.by_id.get(getattr(instance, "capacity_reservation_id", None) or "")
    if item is not None:
        return item.id, _ultra_block(call, item)
    if group:
        strategy = groups_in(call.runtime, call.account, call.region)[group]["Strategy"]
        if strategy == "cluster":
            return f"group/{group}", None
    launch = next(
        (
            reservation.id
            for reservation in ec2_backend(call.account, call.region).reservations.values()
            if instance in reservation.instances
        ),
        instance.id,
    )
    return f"launch/{launch}", None


def _reservation(call: Call, one: Reservation) -> dict[str, Any]:
    members = one.members
    shown: dict[str, Any] = {
        "CapacityReservationId": one.id,
        "State": members["State"],
        "InstanceType": members["InstanceType"],
        "AvailabilityZone": members["AvailabilityZone"],
        "AvailabilityZoneId": members["AvailabilityZoneId"],
    }
    count, block = layers(members["InstanceType"]), _ultra_block(call, one)
    if count:
        nodes = network_nodes(
            call.account, members["AvailabilityZoneId"], one.id, 0, count, ultra=bool(block)
        )
        whole = block is not None or members["TotalInstanceCount"] <= _PER_LAST_NODE
        shown["NetworkNodes"] = nodes if whole else nodes[:-1]
    if "PlacementGroupArn" in members:
        shown["GroupName"] = members["PlacementGroupArn"].rsplit("/", 1)[-1]
    if block is not None:
        shown["CapacityBlockId"] = block
    return shown


def _ultra_block(call: Call, one: Reservation) -> str | None:
    block = reservations_of(call).blocks.get(one.members.get("CapacityBlockId", ""))
    return str(block["CapacityBlockId"]) if block and "UltraserverType" in block else None


def _check_instances(call: Call, ids: list[str]) -> None:
    known = {
        instance.id
        for reservation in ec2_backend(call.account, call.region).reservations.values()
        for instance in reservation.instances
    }
    for instance_id in ids:
        if instance_id not in known:
            raise AwsError(
                "InvalidInstanceID.NotFound", f"The instance ID '{instance_id}' does not exist"
            )


def _check_ids(ids: list[str], maximum: int, name: str, request: Mapping[str, Any]) -> None:
    if ids and "MaxResults" in request:
        raise AwsError(
            "InvalidParameterCombination",
            f"The parameter {name} cannot be used with the parameter maxResults",
        )
    if len(ids) > maximum:
        raise AwsError(
            "InvalidParameterValue",
            f"Maximum {maximum} explicitly specified values for the parameter {name}.",
        )
