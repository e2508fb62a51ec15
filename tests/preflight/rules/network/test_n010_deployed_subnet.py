"""Tests of CW-N010."""

from __future__ import annotations

import dataclasses

from tests.preflight.existing_network import (
    HERE,
    SUBNET,
)
from tests.preflight.harness import Harness
from tests.preflight.rules.support.networks import subnets


def test_deployed_subnet_without_space_for_growth_is_reported(rule: Harness) -> None:
    deployed = dataclasses.replace(
        HERE, cidr="10.0.0.0/17", free_addresses=127, stack="test-network"
    )
    rule.fails(
        "CW-N010",
        None,
        subnets(deployed),
        path="network.cidr",
        message=f"the nodes need 129 more addresses, {SUBNET} has 127 free",
        numbers=(129, 0, 127),
    )
    roomy = dataclasses.replace(deployed, free_addresses=129)
    rule.passes("CW-N010", None, subnets(roomy))
    # The subnet of another cluster with the same range is ignored.
    rule.passes("CW-N010", None, subnets(dataclasses.replace(deployed, stack="other-network")))
    rule.passes("CW-N010", None, subnets())
