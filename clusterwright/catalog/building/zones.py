"""Zones and offerings by region, from EC2's API dump, and documented local zones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from clusterwright.catalog.building import inputs

API_SOURCE: Final = "api-offerings"


def zones_and_offerings(
    instance_types: Iterable[str], records: Mapping[str, Mapping[str, Any]]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The documents of zones and of offerings (for the types of the catalogue)."""
    wanted = set(instance_types)
    zones: dict[str, Any] = {}
    offerings: dict[str, Any] = {}
    for region, rows in inputs.api_offerings():
        zones[region] = {"source": API_SOURCE, "zones": sorted({r["Location"] for r in rows})}
        offers: dict[str, list[str]] = {}
        for row in rows:
            if row["InstanceType"] in wanted:
                offers.setdefault(row["InstanceType"], []).append(row["Location"])
        offerings[region] = {
            "source": API_SOURCE,
            "offers": {name: sorted(offers[name]) for name in sorted(offers)},
        }
    local = inputs.rows("local_zones.csv")
    return (
        {"schema_version": 1, "regions": zones, "local_zones": [_local(row) for row in local]},
        {"schema_version": 1, "regions": offerings, "local_offers": _local_offers(local, records)},
    )


def _local(row: Mapping[str, str]) -> dict[str, Any]:
    return {
        "zone": row["zone"],
        "region": row["region"],
        "zone_id": None if row["zone_id"] == "unknown" else row["zone_id"],
        "source": row["source"],
        "note": row["note"],
    }


def _local_offers(
    local: list[dict[str, str]], records: Mapping[str, Mapping[str, Any]]
) -> list[list[str]]:
    """[type, local zone, source]: types whose Capacity Blocks are sold in a local zone."""
    found = []
    for name, record in records.items():
        places = record["capacity_block_places"]
        for row in local:
            if row["zone"] in places.get("value", ()):
                found.append([name, row["zone"], places["source"]])
    return found
