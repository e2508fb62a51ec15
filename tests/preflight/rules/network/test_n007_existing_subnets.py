"""Tests of CW-N007."""

from __future__ import annotations

import dataclasses

import pytest

from clusterwright.aws.ec2.vpc import Subnet
from tests.preflight.existing_network import (
    EXISTING,
    HERE,
    SUBNET,
    THERE,
)
from tests.preflight.harness import Harness
from tests.preflight.rules.support.networks import subnets


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ((), f"the subnet {SUBNET} does not exist in us-east-1"),
        ((dataclasses.replace(HERE, vpc_id="vpc-00000002"),), "is in vpc-00000002, not in"),
        ((dataclasses.replace(HERE, zone="us-east-1b", zone_id="use1-az1"),), "is in use1-az1"),
    ],
)
def test_subnets_in_another_zone_are_reported(
    rule: Harness, found: tuple[Subnet, ...], message: str
) -> None:
    path = "network.existing.subnet_ids[0]"
    rule.fails("CW-N007", EXISTING, subnets(*found), path=path, message=message)
    rule.passes("CW-N007", EXISTING, subnets(HERE, THERE))
