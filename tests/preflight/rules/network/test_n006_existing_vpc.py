"""Tests of CW-N006."""

from __future__ import annotations

from clusterwright.aws.ec2.vpc import Vpc
from clusterwright.preflight.facts import network
from tests.preflight.existing_network import (
    EXISTING,
    VPC,
)
from tests.preflight.harness import Harness


def test_missing_vpc_is_reported(rule: Harness) -> None:
    rule.fails(
        "CW-N006",
        EXISTING,
        {network.Vpcs(): (Vpc("vpc-00000002", ("10.0.0.0/16",), None),)},
        path="network.existing.vpc_id",
        message=f"the VPC {VPC} does not exist in us-east-1",
    )
    rule.passes("CW-N006", EXISTING, {network.Vpcs(): (Vpc(VPC, ("10.1.0.0/16",), None),)})
    rule.passes("CW-N006", tested=False)
