"""CIDR ranges: syntax, size of VPC ranges, overlaps."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from typing import Final

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path, Problem

_THIS_NETWORK: Final = ipaddress.IPv4Network("0.0.0.0/8")


def problems(cluster: Cluster) -> Iterator[Problem]:
    seen: list[tuple[Path, ipaddress.IPv4Network]] = []
    paths: list[tuple[Path, str]] = [(("network", "cidr"), cluster.network.cidr)]
    paths += [
        (("network", "secondary_cidrs", index), cidr)
        for index, cidr in enumerate(cluster.network.secondary_cidrs)
    ]
    for path, text in paths:
        network = _range(text, path)
        if isinstance(network, Problem):
            yield network
            continue
        if not 16 <= network.prefixlen <= 28:
            yield Problem(
                f"a VPC range must be between /16 and /28, got /{network.prefixlen}",
                path,
                hint="for a larger network, add ranges in `network.secondary_cidrs`",
            )
        elif (kind := _not_of_hosts(network)) is not None:
            yield Problem(
                f"no host can have an address of {network}: it is {kind}",
                path,
                hint="use a private range, such as 10.0.0.0/16",
            )
        for other_path, other in seen:
            if network.overlaps(other):
                yield Problem(f"{network} overlaps {other}", path, other_path=other_path)
        seen.append((path, network))
    for index, text in enumerate(cluster.network.peered_cidrs):
        path = ("network", "peered_cidrs", index)
        network = _range(text, path)
        if isinstance(network, Problem):
            yield network
        elif network.prefixlen == 0:
            yield Problem(
                f"{network} contains every address, which cannot be the range of a connected "
                "network",
                path,
                hint="list the ranges that are routed to the peer",
            )


def _not_of_hosts(network: ipaddress.IPv4Network) -> str | None:
    """What a range is whose addresses no host has (IANA, IPv4 Special-Purpose Addresses)."""
    if network.overlaps(_THIS_NETWORK):
        return 'the range of "this network" (RFC 791)'
    if network.is_loopback:
        return "the loopback range (RFC 1122)"
    if network.is_link_local:
        return "the link-local range (RFC 3927), in which the metadata service is"
    if network.is_multicast:
        return "of multicast groups (RFC 5771)"
    return "reserved (RFC 1112)" if network.is_reserved else None


def _range(text: str, path: Path) -> ipaddress.IPv4Network | Problem:
    try:
        return ipaddress.IPv4Network(text)
    except ValueError as error:
        hint = None
        if "host bits" in str(error):
            hint = f"write {ipaddress.IPv4Network(text, strict=False)}"
        return Problem(f"{text} is not a CIDR range: {error}", path, hint=hint)
