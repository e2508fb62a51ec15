"""Facts and specs for the tests of ip ranges."""

from __future__ import annotations

from typing import Any

from clusterwright.aws.ec2.vpc import Vpc
from clusterwright.preflight.facts import hyperpod, network
from tests.preflight.existing_network import EXISTING, HERE, SUBNET, THERE, VPC


def vpcs(*ranges: str) -> dict[Any, Any]:
    return {network.Vpcs(): (Vpc(VPC, ranges, None),)}


def free(*addresses: int) -> dict[Any, Any]:
    import dataclasses

    found = [
        dataclasses.replace(subnet, free_addresses=n, zone="us-east-1d", zone_id="use1-az6")
        for subnet, n in zip((HERE, THERE), addresses, strict=False)
    ]
    return {network.Subnets(): tuple(found), hyperpod.HyperPodClusters(): ()}


def two_subnets(**more: Any) -> dict[str, Any]:
    existing = {**EXISTING["network"]["existing"], "subnet_ids": [SUBNET, THERE.id]}
    return {"network": {**EXISTING["network"], "existing": existing, **more}}
