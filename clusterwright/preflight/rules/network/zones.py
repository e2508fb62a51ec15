"""Zones: by id, or by the name of a local zone."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.aws.ec2.instance_types import Zone


def zone_id_of(zone: str, zones: Iterable[Zone]) -> str:
    """The id of a zone that a spec gives by id or, for a local zone, by name."""
    return next((z.zone_id for z in zones if zone in (z.zone_id, z.name)), zone)
