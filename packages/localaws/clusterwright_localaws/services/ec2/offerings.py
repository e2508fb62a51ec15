"""Instance type offerings of a region and its zones: moto's copy of EC2's answer, with the world's
changes.

The world's `not_offered` is removed, and the catalogue's local zones are added, which moto's copy
lacks. Answers are paginated; moto answers everything at once.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping
from typing import Any

from clusterwright_localaws.core import catalog_facts
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.pagination import page
from clusterwright_localaws.services.ec2.common import filter_name, refuse_dry_run
from clusterwright_localaws.services.ec2.zones import zone_name

_FILTERS = {"instance-type": "InstanceType", "location": "Location"}
_BY_ID = "availability-zone-id"


@operation("ec2", "DescribeInstanceTypeOfferings")
def describe_instance_type_offerings(call: Call) -> Mapping[str, Any]:
    refuse_dry_run(call)
    kind = call.parameters.get("LocationType") or "region"
    found = sorted(
        {
            (name, location)
            for name, location in _offered(call, kind)
            if _passes(name, location, call.parameters.get("Filters") or ())
        }
    )
    entries, token = page(found, call, default=1000, maximum=1000)
    answer: dict[str, Any] = {
        "InstanceTypeOfferings": [
            {"InstanceType": name, "LocationType": kind, "Location": location}
            for name, location in entries
        ]
    }
    return {**answer, "NextToken": token} if token else answer


def _offered(call: Call, kind: str) -> Iterable[tuple[str, str]]:
    """Return pairs of type and location of one kind; a region offers what any of its zones
    offers.
    """
    from moto.ec2.models.instance_types import INSTANCE_TYPE_OFFERINGS

    by_zone = [
        (entry["InstanceType"], entry["Location"])
        for entry in INSTANCE_TYPE_OFFERINGS[_BY_ID].get(call.region, ())
    ]
    by_zone += _in_local_zones(call.region, by_zone)
    without = call.world.not_offered
    for name, zone_id in by_zone:
        if zone_id in without.get(name, ()):
            continue
        if kind == "region":
            yield name, call.region
        elif kind == _BY_ID:
            yield name, zone_id
        elif kind == "availability-zone":
            yield name, zone_name(call.region, zone_id) or zone_id
        else:
            raise AwsError("InvalidParameterValue", f"Invalid LocationType: {kind}")


def _in_local_zones(region: str, by_zone: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the offerings of local zones by id. No source lists what they lack."""
    catalog = catalog_facts.catalog()
    names = {name for name, zone in by_zone if catalog.local_zone(zone) is None}
    zones = [z for z in catalog.zone_ids(region) if catalog.local_zone(z) not in (None, z)]
    found = [(name, zone) for zone in zones for name in names]
    for name in catalog.described_names - names:
        offered = catalog_facts.known(catalog.offering(name, region)) or ()
        found += [(name, zone) for zone in zones if zone in offered]
    return found


def _passes(name: str, location: str, filters: Iterable[Mapping[str, Any]]) -> bool:
    values = {"InstanceType": name, "Location": location}
    for requested in filters:
        member = _FILTERS.get(filter_name(requested))
        if member is None:
            raise AwsError("InvalidParameterValue", f"The filter '{requested['Name']}' is invalid")
        if not any(fnmatch.fnmatchcase(values[member], v) for v in requested.get("Values", ())):
            return False
    return True
