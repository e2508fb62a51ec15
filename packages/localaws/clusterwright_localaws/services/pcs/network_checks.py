"""Checks of subnets and security groups before AWS PCS accepts a request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from clusterwright_localaws.services.pcs.state import Store, invalid

# API model (botocore 1.44.5), Networking: "cannot reside in Outposts, Wavelength, or an Amazon
# Web Services Local Zone".
_ZONES: Final = "availability-zone"


def check_cluster(store: Store, networking: Mapping[str, Any]) -> str:
    """Check the network of a new cluster, and return its VPC.

    Raises
    ------
    AwsError
        ValidationException.
    """
    if networking.get("networkType", "IPV4") != "IPV4":
        raise invalid(
            "networking.networkType", "The local AWS has no IPv6 subnets: networkType IPV6."
        )
    subnet_ids = networking.get("subnetIds") or []
    if len(subnet_ids) != 1:
        raise invalid(
            "networking.subnetIds", "AWS PCS currently supports only 1 subnet in this list."
        )
    group_ids = networking.get("securityGroupIds") or []
    if not group_ids:
        raise invalid(
            "networking.securityGroupIds",
            "The local AWS needs security groups: which ones AWS PCS uses without is not known.",
        )
    subnet = subnet_of(store, subnet_ids[0], "networking.subnetIds")
    kind = _zone_type(store, subnet)
    if kind != _ZONES:
        raise invalid(
            "networking.subnetIds",
            f"The subnet {subnet.id} is in {subnet.availability_zone}, a {kind}: not supported.",
        )
    if store.network.free_addresses(subnet) < 1:
        raise invalid(
            "networking.subnetIds", f"The subnet {subnet.id} has no available IP address."
        )
    check_groups(store, group_ids, subnet.vpc_id, "networking.securityGroupIds")
    return str(subnet.vpc_id)


def subnet_of(store: Store, subnet_id: str, member: str) -> Any:
    """Return moto's subnet.

    Raises
    ------
    AwsError
        ValidationException with EC2's message: it does not exist.
    """
    found = store.network.subnet(subnet_id)
    if found is None:
        raise invalid(member, f"The subnet ID '{subnet_id}' does not exist")
    return found


def check_groups(store: Store, group_ids: Iterable[str], vpc_id: str, member: str) -> None:
    """Check that security groups exist in a VPC.

    Raises
    ------
    AwsError
        ValidationException.
    """
    for group_id in group_ids:
        group = store.network.security_group(group_id)
        if group is None:
            raise invalid(member, f"The security group '{group_id}' does not exist")
        if group.vpc_id != vpc_id:
            raise invalid(member, f"The security group {group_id} is not in the VPC {vpc_id}.")


def _zone_type(store: Store, subnet: Any) -> str:
    from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend

    for zone in RegionsAndZonesBackend.zones.get(store.region, ()):
        if zone.name == subnet.availability_zone:
            return str(zone.zone_type)
    return "zone of another kind"
