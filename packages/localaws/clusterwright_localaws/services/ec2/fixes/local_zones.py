"""moto has no local zones, which have p6e-gb200 and some capacity blocks."""

from __future__ import annotations

import copy
from typing import Any

from clusterwright_localaws.core.catalog_facts import catalog
from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.ec2.zones import group_of, opted_in

MOTO_VERSION = "5.2.5"
DESCRIPTION = (
    "EC2: the catalogue's local zones (us-east-1-dfw-2a, …) can have subnets; "
    "DescribeAvailabilityZones returns them by name, by filter, or with "
    "AllAvailabilityZones, each with its group and whether the account has opted in to it"
)
LOCAL_ZONE = "local-zone"


def apply() -> None:
    from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend, Zone
    from moto.ec2.responses.availability_zones_and_regions import AvailabilityZonesAndRegions

    for region in catalog().regions:
        zones = RegionsAndZonesBackend.zones.get(region)
        if zones is None:
            continue
        known = {zone.name for zone in zones}
        for name, zone_id in _local_zones(region):
            if name not in known:
                zones.append(
                    Zone(name=name, region_name=region, zone_id=zone_id, zone_type=LOCAL_ZONE)
                )
    describe_in_moto = RegionsAndZonesBackend.describe_availability_zones
    respond_in_moto = AvailabilityZonesAndRegions.describe_availability_zones

    def describe_availability_zones(
        self: Any,
        filters: Any = None,
        zone_names: Any = None,
        zone_ids: Any = None,
    ) -> list[Any]:
        found = describe_in_moto(self, filters, zone_names, zone_ids)
        asked = bool(filters or zone_names or zone_ids or getattr(self, "_all_zones", False))
        return [_shown(self, zone) for zone in found if asked or zone.zone_type != LOCAL_ZONE]

    def respond(self: Any) -> Any:
        self.ec2_backend._all_zones = (
            str(self._get_param("AllAvailabilityZones", "false")).lower() == "true"
        )
        try:
            return respond_in_moto(self)
        finally:
            self.ec2_backend._all_zones = False

    RegionsAndZonesBackend.describe_availability_zones = describe_availability_zones  # type: ignore[method-assign]
    AvailabilityZonesAndRegions.describe_availability_zones = respond  # type: ignore[method-assign]


def _shown(ec2: Any, zone: Any) -> Any:
    """A zone with the account's opt-in status of its group; moto's zones are shared by
    accounts.
    """
    shown = copy.copy(zone)
    local = zone.zone_type == LOCAL_ZONE
    shown.group_name = group_of(zone.name) if local else f"{zone.region_name}-zg-1"
    here = runtime()
    if not local or not here.active:
        shown.opt_in_status = "opt-in-not-required"
    else:
        ours = opted_in(here, ec2.account_id, ec2.region_name, zone)
        shown.opt_in_status = "opted-in" if ours else "not-opted-in"
    return shown


def _local_zones(region: str) -> list[tuple[str, str]]:
    """Return (name, id) of the region's local zones that have both in the catalogue."""
    found: dict[str, str] = {}
    for zone in catalog().zone_ids(region):
        name = catalog().local_zone(zone)
        if name is not None and zone != name:
            found[name] = zone
    return sorted(found.items())
