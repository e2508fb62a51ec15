"""Tests of CW-N027."""

from __future__ import annotations

import pytest

from clusterwright.aws.ec2.vpc import Subnet
from clusterwright.preflight.facts import network
from tests.preflight.harness import Harness
from tests.preflight.rules.support.platforms import EKS, GOOD, IN_A_NETWORK, TWO, VPC, subnet


@pytest.mark.parametrize(
    ("found", "index", "message"),
    [
        ((GOOD[0],), "[1]", f"the subnet {TWO} does not exist in us-east-1"),
        (
            (GOOD[0], subnet(TWO, "use1-az6")),
            "",
            "all subnets of the control plane are in use1-az6",
        ),
        ((GOOD[0], subnet(TWO, "use1-az2", "vpc-other")), "[1]", f"not in {VPC}"),
        ((GOOD[0], subnet(TWO, "use1-az2", free=5)), "[1]", "has 5 free addresses"),
        ((GOOD[0], subnet(TWO, "use1-az3")), "[1]", "where EKS does not support control planes"),
    ],
)
def test_control_plane_subnets_are_checked(
    rule: Harness, found: tuple[Subnet, ...], index: str, message: str
) -> None:
    rule.fails(
        "CW-N027",
        IN_A_NETWORK,
        {network.Subnets(): found},
        path=f"network.existing.control_plane_subnet_ids{index}",
        message=message,
    )
    rule.passes("CW-N027", IN_A_NETWORK, {network.Subnets(): GOOD})
    rule.passes("CW-N027", EKS, tested=False)
