"""Facts and specs for the tests of networks."""

from __future__ import annotations

from typing import Any

from clusterwright.aws.ec2.instance_types import Zone
from clusterwright.aws.ec2.vpc import Permission, SecurityGroup, Subnet
from clusterwright.preflight.facts import hyperpod, network
from tests.preflight.existing_network import (
    EXISTING,
    GROUP,
    OTHER_SUBNET,
    SUBNET,
    VPC,
)

TO_ITSELF = Permission("-1", None, None, frozenset({GROUP}), frozenset())

ANYWHERE = Permission("-1", None, None, frozenset(), frozenset({"0.0.0.0/0"}))


def subnets(*found: Subnet) -> dict[Any, Any]:
    return {network.Subnets(): found, hyperpod.HyperPodClusters(): ()}


def group(*, inbound: tuple[Permission, ...], outbound: tuple[Permission, ...]) -> dict[Any, Any]:
    return {network.SecurityGroup(GROUP): SecurityGroup(GROUP, VPC, inbound, outbound)}


# 4 × p5.48xlarge and one m5.4xlarge: 129 addresses, and one spare node of each.
NEEDED = 4 * 32 + 1 + 32 + 1

RDS = {
    **EXISTING,
    "network.existing.database_subnet_ids": [SUBNET, OTHER_SUBNET],
    "slurm.accounting": {"kind": "rds"},
}

ZONE = Zone("use1-az6", "us-east-1d", "availability-zone", "opt-in-not-required")
