"""Tests of CW-N035."""

from __future__ import annotations

from typing import Any

from clusterwright.aws.ec2.vpc import Vpc
from clusterwright.preflight.facts import network
from tests.preflight.existing_network import EXISTING, VPC
from tests.preflight.harness import Harness
from tests.preflight.refusal_cases import ON_EC2, ON_EKS

DEDICATED: dict[Any, Any] = {
    network.Vpcs(): (
        Vpc("vpc-00000002", ("10.0.0.0/16",), None),
        Vpc(VPC, ("10.1.0.0/16",), None, "dedicated"),
    )
}
DEFAULT: dict[Any, Any] = {
    network.Vpcs(): (
        Vpc("vpc-00000002", ("10.0.0.0/16",), None, "dedicated"),
        Vpc(VPC, ("10.1.0.0/16",), None),
    )
}


def test_dedicated_tenancy_is_found(rule: Harness) -> None:
    on_ec2 = {**EXISTING, **ON_EC2}
    rule.fails(
        "CW-N035",
        on_ec2,
        DEDICATED,
        path="network.existing.vpc_id",
        message=f"the VPC {VPC} has dedicated tenancy: every node is a Dedicated Instance",
        severity="warning",
        numbers=("default", None, "dedicated"),
    )
    rule.passes("CW-N035", on_ec2, DEFAULT)
    rule.passes("CW-N035", tested=False)


def test_what_hyperpod_does_with_it_is_not_known(rule: Harness) -> None:
    rule.fails(
        "CW-N035",
        EXISTING,
        DEDICATED,
        path="network.existing.vpc_id",
        message=f"the VPC {VPC} has dedicated tenancy: no source states whether HyperPod",
        severity="warning",
        numbers=("default", None, "dedicated"),
    )
    rule.passes("CW-N035", EXISTING, DEFAULT)


def test_eks_refuses_dedicated_tenancy(rule: Harness) -> None:
    subnets = {"control_plane_subnet_ids": ["subnet-0000000b", "subnet-0000000c"]}
    existing = {**EXISTING["network"]["existing"], **subnets}
    on_eks = {**ON_EKS, "network": {**EXISTING["network"], "existing": existing}}
    rule.fails(
        "CW-N035",
        on_eks,
        DEDICATED,
        path="network.existing.vpc_id",
        message="EKS accepts only subnets of VPCs with default tenancy",
        severity="error",
    )
    rule.passes("CW-N035", on_eks, DEFAULT)
