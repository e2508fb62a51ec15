"""CIDR ranges that must not overlap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Network

from clusterwright.cluster_spec.problems import Path
from clusterwright.preflight.rule import Context

DOCKER = IPv4Network("172.17.0.0/16")
"""Docker's default bridge, which services such as SageMaker use (AWS documentation, VPC CIDR
blocks: "Some AWS services use the 172.17.0.0/16 CIDR range")."""

KUBERNETES = (IPv4Network("10.100.0.0/16"), IPv4Network("172.20.0.0/16"))
"""One of these becomes the range of Kubernetes services (botocore 1.44.5, EKS CreateCluster,
serviceIpv4Cidr)."""


def own_ranges(context: Context) -> list[tuple[Path, IPv4Network]]:
    """The ranges of the new VPC, with their paths in the spec."""
    network = context.cluster.network
    found: list[tuple[Path, IPv4Network]] = [(("network", "cidr"), IPv4Network(network.cidr))]
    found += [
        (("network", "secondary_cidrs", index), IPv4Network(cidr))
        for index, cidr in enumerate(network.secondary_cidrs)
    ]
    return found


def peered_ranges(context: Context) -> list[tuple[Path, IPv4Network]]:
    """The ranges of connected networks, with their paths in the spec."""
    return [
        (("network", "peered_cidrs", index), IPv4Network(cidr))
        for index, cidr in enumerate(context.cluster.network.peered_cidrs)
    ]


def free_range(size: int, used: Iterable[IPv4Network]) -> IPv4Network | None:
    """A private range of prefix `size` that overlaps none of `used`, for a hint."""
    ranges = list(used)
    for candidate in _private(size):
        if not any(candidate.overlaps(range_) for range_ in ranges):
            return candidate
    return None


def _private(size: int) -> Iterator[IPv4Network]:
    for second in range(256):
        yield (
            IPv4Network(f"10.{second}.0.0/16")
            if size <= 16
            else next(IPv4Network(f"10.{second}.0.0/16").subnets(new_prefix=size))
        )
