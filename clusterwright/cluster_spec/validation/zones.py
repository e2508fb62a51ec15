"""Zones belong to the region, and the region to the partition."""

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
    """How the region begins its zone ids: us-east-1 is use1, ap-northeast-1 apne1.

    Source: EC2's zone ids of every region in moto's dump of DescribeInstanceTypeOfferings.
    """
    first, *middle, number = region.split("-")
    return first + "".join(_DIRECTIONS.get(word, word[:1]) for word in middle) + number


def belongs(zone: str, region: str) -> bool:
    """Whether a zone id (`use1-az6`, `use1-atl2-az1`) or a local zone's name fits a region."""
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
                f"{zone} is the name of a zone; "
                "names stand for different zones in different accounts",
                ("network", field),
                hint=f"give the zone's id, such as {zone_prefix(cluster.region)}-az1",
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
            "the second zone is the first one",
            ("network", "second_availability_zone_id"),
            other_path=("network", "availability_zone_id"),
        )
    if cluster.partition != partition_of(cluster.region):
        yield Problem(
            f"{cluster.region} is in the partition {partition_of(cluster.region)}, "
            f"not {cluster.partition}",
            ("partition",),
            hint="leave `partition` out: it follows from the region",
            other_path=("region",),
        )
