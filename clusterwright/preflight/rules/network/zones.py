"""Availability Zones by id, Local Zones by name."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.aws.ec2.instance_types import Zone


def zone_id_of(zone: str, zones: Iterable[Zone]) -> str:
    """The id of a zone that is given by id or, for a Local Zone, by name."""
    return next((z.zone_id for z in zones if zone in (z.zone_id, z.name)), zone)
