"""Facts and specs for the tests of more quotas."""

from __future__ import annotations

from typing import Any

from clusterwright.aws.ec2.network_interfaces import NetworkInterface
from clusterwright.aws.ec2.routes import Endpoint
from clusterwright.aws.ec2.vpc import SecurityGroup
from clusterwright.aws.rds import Database
from clusterwright.preflight.facts import counts, network
from tests.preflight.existing_network import SUBNET, VPC
from tests.preflight.harness import quota
from tests.preflight.quota_facts import clusters, usage

NAT = {"network.egress": "nat"}

HOMES = {"storage.home": {"kind": "openzfs", "capacity_gib": 512}}

RDS = {"slurm.accounting": {"kind": "rds"}}

OURS = "test-network"


def interfaces(count: int, subnet: str = SUBNET) -> tuple[NetworkInterface, ...]:
    return tuple(
        NetworkInterface(f"eni-{n}", VPC, subnet, "us-east-1d", (), 1) for n in range(count)
    )


def groups(*stacks: str | None) -> dict[Any, Any]:
    found = tuple(SecurityGroup(f"sg-{n}", VPC, (), (), s) for n, s in enumerate(stacks))
    return {network.SecurityGroups(): found}


def gateway(stack: str | None, kind: str = "gateway") -> Endpoint:
    return Endpoint("vpce-1", VPC, kind, "s3", "available", False, (), (), (), None, stack)


THEIRS, MINE = Database("db-1", 900, None), Database("db-2", 100, "test-accounting")

GROWS = {"compute.1.max_count": 16}


def growth(p5: float, each: float = 100) -> dict[Any, Any]:
    """Every fact that growth asks for; only the quota of the type and of a cluster are short."""
    return {
        **clusters(),
        **usage(p5),
        **quota("sagemaker", "L-2CE978FC", each),
        **quota("sagemaker", "L-3308CCC7", 1000),
        **quota("vpc", "L-DF5E4CA3", 5000),
        **quota("vpc", "L-BB24F6E5", 64000),
        counts.NetworkInterfaces(): (),
        network.Subnets(): (),
    }
