"""Availability zones: names and ids as moto's account sees them, and local zones."""

from __future__ import annotations


def partition_of(region: str) -> str:
    if region.startswith("cn-"):
        return "aws-cn"
    return "aws-us-gov" if region.startswith("us-gov-") else "aws"


def zone_name(region: str, zone_id: str) -> str | None:
    """The zone's name in this account (`us-east-1a`), or `None` for a zone of another region."""
    from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend

    for zone in RegionsAndZonesBackend.zones.get(region, ()):
        if zone.zone_id == zone_id:
            return str(zone.name)
    return None


def zone_id_of(region: str, name: str) -> str | None:
    """The id of the zone that this account calls `name`."""
    from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend

    for zone in RegionsAndZonesBackend.zones.get(region, ()):
        if zone.name == name:
            return str(zone.zone_id)
    return None
