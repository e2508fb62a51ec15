"""Placement groups.

https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreatePlacementGroup.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.ec2.common import (
    forget_tags,
    matches,
    new_id,
    refuse_dry_run,
    tag_new,
    tags_of,
)
from clusterwright_localaws.services.ec2.reserved import ENDED, ec2_backend, reserved_in

# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/placement-strategies.html
_MAXIMUM_PARTITIONS = 7
# "You can create a maximum of 500 placement groups per account in each Region."
# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/placement-groups.html
_MAXIMUM_GROUPS = 500
_FILTERS = {
    "group-name": "GroupName",
    "group-arn": "GroupArn",
    "spread-level": "SpreadLevel",
    "state": "State",
    "strategy": "Strategy",
}


@operation("ec2", "CreatePlacementGroup")
def create_placement_group(call: Call) -> Mapping[str, Any]:
    request, groups = call.parameters, _groups(call)
    name = request.get("GroupName")
    if not name:
        raise AwsError("MissingParameter", "The request must contain the parameter groupName")
    if name in groups:
        raise AwsError(
            "InvalidPlacementGroup.Duplicate", f"The placement group '{name}' already exists."
        )
    if len(groups) >= _MAXIMUM_GROUPS:
        raise AwsError(
            "PlacementGroupLimitExceeded",
            "You've reached the limit on the number of placement groups that you can have.",
        )
    strategy = request.get("Strategy", "cluster")
    partitions = request.get("PartitionCount")
    if partitions is not None and strategy != "partition":
        raise AwsError(
            "InvalidParameterCombination",
            "The parameter PartitionCount may be specified with the strategy partition only",
        )
    if partitions is not None and not 1 <= partitions <= _MAXIMUM_PARTITIONS:
        raise AwsError(
            "InvalidParameterValue",
            f"Value ({partitions}) for parameter PartitionCount is invalid. It must be between 1 "
            f"and {_MAXIMUM_PARTITIONS}",
        )
    refuse_dry_run(call)
    group: dict[str, Any] = {
        "GroupName": name,
        "GroupId": new_id("pg"),
        "GroupArn": call.arn("ec2", f"placement-group/{name}"),
        "State": "available",
        "Strategy": strategy,
    }
    if strategy == "partition":
        group["PartitionCount"] = partitions or 2
    if "SpreadLevel" in request or strategy == "spread":
        group["SpreadLevel"] = request.get("SpreadLevel", "rack")
    groups[name] = group
    tag_new(call, group["GroupId"], "placement-group")
    return {"PlacementGroup": _shape(call, group)}


@operation("ec2", "DescribePlacementGroups")
def describe_placement_groups(call: Call) -> Mapping[str, Any]:
    request, groups = call.parameters, _groups(call)
    for name in request.get("GroupNames", []):
        if name not in groups:
            raise unknown_group(name)
    known = {group["GroupId"] for group in groups.values()}
    for group_id in request.get("GroupIds", []):
        if group_id not in known:
            raise unknown_group(group_id)
    found = [
        shape
        for shape in (_shape(call, group) for group in groups.values())
        if (not request.get("GroupNames") or shape["GroupName"] in request["GroupNames"])
        and (not request.get("GroupIds") or shape["GroupId"] in request["GroupIds"])
        and matches(shape, request.get("Filters", []), _FILTERS)
    ]
    return {"PlacementGroups": found}


@operation("ec2", "DeletePlacementGroup")
def delete_placement_group(call: Call) -> Mapping[str, Any]:
    groups, name = _groups(call), call.parameters["GroupName"]
    if name not in groups:
        raise unknown_group(name)
    group = groups[name]
    if instances_in(call.account, call.region, name) or any(
        item.members.get("PlacementGroupArn") == group["GroupArn"]
        and item.members["State"] not in ENDED
        for item in reserved_in(call.runtime, call.account, call.region).by_id.values()
    ):
        raise AwsError(
            "InvalidPlacementGroup.InUse",
            f"The placement group '{name}' is in use and may not be deleted.",
        )
    refuse_dry_run(call)
    forget_tags(call, groups.pop(name)["GroupId"])
    return {}


def groups_in(runtime: Runtime, account: str, region: str) -> dict[str, dict[str, Any]]:
    """Return the placement groups of one account and region by name."""
    return runtime.store("ec2 placement groups", account, region, dict)


def by_arn(call: Call, arn: str) -> dict[str, Any]:
    """The placement group with an ARN.

    Raises
    ------
    AwsError
        InvalidPlacementGroup.Unknown.
    """
    for group in _groups(call).values():
        if group["GroupArn"] == arn:
            return group
    raise unknown_group(arn)


def instances_in(account: str, region: str, name: str) -> list[Any]:
    """Return the instances that use a group: all that are not terminated."""
    return [
        instance
        for reservation in list(ec2_backend(account, region).reservations.values())
        for instance in reservation.instances
        if instance.placement.group_name == name and instance.state != "terminated"
    ]


def _groups(call: Call) -> dict[str, dict[str, Any]]:
    return groups_in(call.runtime, call.account, call.region)


def _shape(call: Call, group: Mapping[str, Any]) -> dict[str, Any]:
    return {**group, "Tags": tags_of(call, group["GroupId"])}


def unknown_group(name: str) -> AwsError:
    return AwsError("InvalidPlacementGroup.Unknown", f"The Placement Group '{name}' is unknown.")
