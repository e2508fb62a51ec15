"""Filters that moto ignores, applied to its answer: it would list what the caller excluded.

`DescribeAvailabilityZones` with `opt-in-status` is how Terraform's configurations leave out local
zones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from clusterwright_localaws.services.ec2.common import filters_of, matches

_LISTS: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "DescribeAvailabilityZones": (
        "AvailabilityZones",
        {
            "group-long-name": "GroupLongName",
            "group-name": "GroupName",
            "opt-in-status": "OptInStatus",
            "parent-zone-id": "ParentZoneId",
            "parent-zone-name": "ParentZoneName",
            "region-name": "RegionName",
            "state": "State",
            "zone-id": "ZoneId",
            "zone-name": "ZoneName",
            "zone-type": "ZoneType",
        },
    ),
    "DescribeInstanceStatus": (
        "InstanceStatuses",
        {
            "availability-zone": "AvailabilityZone",
            "availability-zone-id": "AvailabilityZoneId",
            "instance-state-code": "InstanceState.Code",
            "instance-state-name": "InstanceState.Name",
            "instance-status.status": "InstanceStatus.Status",
            "system-status.status": "SystemStatus.Status",
        },
    ),
    "DescribeNatGateways": (
        "NatGateways",
        {
            "nat-gateway-id": "NatGatewayId",
            "state": "State",
            "subnet-id": "SubnetId",
            "vpc-id": "VpcId",
        },
    ),
    "DescribeRegions": (
        "Regions",
        {
            "endpoint": "Endpoint",
            "opt-in-status": "OptInStatus",
            "region-name": "RegionName",
        },
    ),
}


def ignored(operation: str, parameters: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the filters of a call that moto ignores or may ignore."""
    return filters_of(parameters) if operation in _LISTS else []


def filtered(
    operation: str, filters: list[Mapping[str, Any]], result: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the answer with the items that match.

    Raises
    ------
    AwsError
        UnsupportedOperation: a filter that is not implemented here either.
    """
    member, names = _LISTS[operation]
    kept = [item for item in result.get(member, ()) if matches(dict(_flat(item)), filters, names)]
    return {**result, member: kept}


def _flat(item: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in item.items():
        yield before + name, value
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
