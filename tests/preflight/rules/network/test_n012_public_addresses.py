"""Tests of CW-N012."""

from __future__ import annotations

import dataclasses

from tests.preflight.existing_network import (
    EXISTING,
    HERE,
)
from tests.preflight.harness import Harness
from tests.preflight.rules.support.networks import subnets


def test_public_subnets_are_reported(rule: Harness) -> None:
    rule.fails(
        "CW-N012",
        EXISTING,
        subnets(dataclasses.replace(HERE, public_addresses_on_launch=True)),
        path="network.existing.subnet_ids[0]",
        message="assigns public addresses at launch",
        severity="warning",
    )
    rule.passes("CW-N012", EXISTING, subnets(HERE))
