"""Tests of CW-N013."""

from __future__ import annotations

import dataclasses

import pytest

from clusterwright.aws.ec2.vpc import Subnet
from tests.preflight.existing_network import (
    EXISTING,
    HERE,
    OTHER_SUBNET,
    THERE,
)
from tests.preflight.harness import Harness
from tests.preflight.rules.support.networks import RDS, subnets


@pytest.mark.parametrize(
    ("found", "path", "message"),
    [
        (
            (HERE, dataclasses.replace(THERE, zone_id="use1-az6")),
            "network.existing.database_subnet_ids",
            "all database subnets are in use1-az6",
        ),
        (
            (HERE, dataclasses.replace(THERE, vpc_id="vpc-00000002")),
            "network.existing.database_subnet_ids[1]",
            "is in vpc-00000002",
        ),
    ],
)
def test_database_subnets_must_be_in_two_zones_of_the_vpc(
    rule: Harness, found: tuple[Subnet, ...], path: str, message: str
) -> None:
    rule.fails("CW-N013", RDS, subnets(*found), path=path, message=message)
    rule.passes("CW-N013", RDS, subnets(HERE, THERE))
    rule.passes("CW-N013", EXISTING, tested=False)


def test_missing_database_subnet_is_reported(rule: Harness) -> None:
    outcome = rule.run("CW-N013", RDS, subnets(HERE))
    assert f"the subnet {OTHER_SUBNET} does not exist" in outcome.findings[0].message
