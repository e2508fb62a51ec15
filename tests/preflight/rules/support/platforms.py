"""Facts and specs for the tests of platforms."""

from __future__ import annotations

from typing import Any

from clusterwright.aws.cloudformation.stacks import Stack, StackResource
from clusterwright.aws.ec2.vpc import Subnet
from clusterwright.preflight.facts.deployment import OwnStacks, Stacks

WORKERS = {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 4}

EKS: dict[str, Any] = {"platform": "eks", "compute": [WORKERS]}

HYPERPOD: dict[str, Any] = {"platform": "hyperpod-eks", "compute": [WORKERS]}

PARALLELCLUSTER: dict[str, Any] = {"platform": "parallelcluster"}

PARALLELCLUSTER_WHOLE: dict[str, Any] = {**PARALLELCLUSTER, "slurm.accounting": {"kind": "none"}}

ELASTIC = {**WORKERS, "name": "elastic", "count": 0, "max_count": 900}

SCALED: dict[str, Any] = {
    **EKS,
    "compute": [{**WORKERS, "max_count": 500}, ELASTIC],
    "kubernetes": {"autoscaling": "karpenter"},
}


def stacks(*resources: tuple[str, str]) -> dict[Any, Any]:
    """The stacks of this environment with resources of these types and ids."""
    made = tuple(StackResource(f"R{i}", *one) for i, one in enumerate(resources))
    there = (Stack("test-kubernetes", "CREATE_COMPLETE", None, False),) if resources else ()
    return {Stacks("test"): OwnStacks(there, made)}


VPC = "vpc-0a1b2c3d4e5f60718"

ONE, TWO = "subnet-0a1b2c3d4e5f60719", "subnet-0a1b2c3d4e5f6071a"

IN_A_NETWORK: dict[str, Any] = {
    **EKS,
    "network": {
        "availability_zone_id": "use1-az6",
        "existing": {
            "vpc_id": VPC,
            "subnet_ids": ["subnet-0a1b2c3d4e5f60718"],
            "security_group_ids": ["sg-0a1b2c3d4e5f60718"],
            "control_plane_subnet_ids": [ONE, TWO],
        },
    },
}


def subnet(name: str, zone: str, vpc: str = VPC, free: int = 6) -> Subnet:
    return Subnet(name, vpc, "10.0.0.0/24", zone, zone, free, False, "", None)


GOOD = (subnet(ONE, "use1-az6"), subnet(TWO, "use1-az2"))

OLD_IMAGE = {"image_id": "ami-0123456789abcdef0", "released": "2024-07-31"}
