"""Availability Zones and local zones: names and ids in moto's accounts."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.core.runtime import Runtime


def partition_of(region: str) -> str:
    """Return the partition that a region belongs to."""
    if region.startswith("cn-"):
        return "aws-cn"
    return "aws-us-gov" if region.startswith("us-gov-") else "aws"


def zone_name(region: str, zone_id: str) -> str | None:
    """Return the zone's name in this account (`us-east-1a`), or `None` for a zone of another
    region.
    """
    from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend

    for zone in RegionsAndZonesBackend.zones.get(region, ()):
        if zone.zone_id == zone_id:
            return str(zone.name)
    return None


def zone_id_of(region: str, name: str) -> str | None:
    """Return the id of the zone named `name` in this account."""
    from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend

    for zone in RegionsAndZonesBackend.zones.get(region, ()):
        if zone.name == name:
            return str(zone.zone_id)
    return None


def group_of(local_zone: str) -> str:
    """Return the group of a local zone, which accounts opt in to: `us-east-1-dfw-2a` is in
    `us-east-1-dfw-2`.
    """
    return local_zone.rstrip("abcdefghijklmnopqrstuvwxyz")


def opted_in(runtime: Runtime, account: str, region: str, zone: Any) -> bool:
    """Return whether an account may use a zone (moto's): its opt-in status, else the world's."""
    if zone.zone_type != "local-zone":
        return True
    text = choices(runtime, account, region).get(group_of(zone.name))
    return runtime.world.local_zones == "opted-in" if text is None else text


def choices(runtime: Runtime, account: str, region: str) -> dict[str, bool]:
    """Return the zone groups that the account has opted in to, or out of."""
    return runtime.store("zone-groups", account, region, dict[str, bool])
