"""Tests of CW-N037."""

from __future__ import annotations

import pytest

from tests.preflight.existing_network import EXISTING
from tests.preflight.harness import Harness


@pytest.mark.parametrize("cidr", ["8.8.0.0/16", "172.40.0.0/16", "192.169.0.0/20"])
def test_public_range_is_reported(rule: Harness, cidr: str) -> None:
    rule.fails(
        "CW-N037",
        {"network.cidr": cidr},
        path="network.cidr",
        message=f"{cidr} is not private",
        severity="warning",
    )


@pytest.mark.parametrize(
    "cidr",
    [
        *("10.0.0.0/16", "172.31.0.0/16", "192.168.0.0/20", "100.64.0.0/16", "198.18.0.0/16"),
        # For documentation: nobody has them.
        *("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24"),
    ],
)
def test_private_range_passes(rule: Harness, cidr: str) -> None:
    rule.passes("CW-N037", {"network.cidr": cidr})


def test_every_range_of_the_new_network_is_checked(rule: Harness) -> None:
    more = {"network.secondary_cidrs": ["100.64.0.0/16", "52.0.0.0/16"]}
    rule.fails("CW-N037", more, path="network.secondary_cidrs[1]", message="52.0.0.0/16")
    rule.passes("CW-N037", EXISTING, tested=False)
