"""Zones and partition of the region."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Problem
from clusterwright.cluster_spec.resolve import partition_of

_DIRECTIONS = {
    "north": "n",
    "south": "s",
    "east": "e",
    "west": "w",
    "central": "c",
    "northeast": "ne",
    "northwest": "nw",
    "southeast": "se",
    "southwest": "sw",
    "gov": "g",
}


def zone_prefix(region: str) -> str:
    """Return the prefix of a region's zone ids: use1 for us-east-1, apne1 for ap-northeast-1.

    Source: EC2's zone ids of every region in moto's dump of DescribeInstanceTypeOfferings.
    """
    first, *middle, number = region.split("-")
    return first + "".join(_DIRECTIONS.get(word, word[:1]) for word in middle) + number


def belongs(zone: str, region: str) -> bool:
    """Return whether a zone id (`use1-az6`, `use1-atl2-az1`) or local zone name fits a region."""
    prefix = re.escape(zone_prefix(region))
    identity = rf"{prefix}(-[a-z]{{3}}\d)?-az\d+"
    local_name = rf"{re.escape(region)}-[a-z]{{3}}-\d[a-z]"
    return re.fullmatch(f"{identity}|{local_name}", zone) is not None


def problems(cluster: Cluster) -> Iterator[Problem]:
    network = cluster.network
    for field in ("availability_zone_id", "second_availability_zone_id"):
        zone = getattr(network, field)
        if zone is None or belongs(zone, cluster.region):
            continue
        if re.fullmatch(rf"{cluster.region}[a-z]", zone):
            yield Problem(
                f"{zone} is a zone name; names refer to different zones in different accounts",
                ("network", field),
                hint=f"use the zone id, such as {zone_prefix(cluster.region)}-az1",
            )
            continue
        yield Problem(
            f"{zone} is not a zone of {cluster.region}",
            ("network", field),
            hint=f"zone ids of {cluster.region} begin with {zone_prefix(cluster.region)}-az",
            other_path=("region",),
        )
    if network.second_availability_zone_id == network.availability_zone_id:
        yield Problem(
            "the second zone must differ from the first",
            ("network", "second_availability_zone_id"),
            other_path=("network", "availability_zone_id"),
        )
    if cluster.partition != partition_of(cluster.region):
        yield Problem(
            f"{cluster.region} is in the partition {partition_of(cluster.region)}, "
            f"not {cluster.partition}",
            ("partition",),
            hint="omit `partition`: it is derived from the region",
            other_path=("region",),
        )
