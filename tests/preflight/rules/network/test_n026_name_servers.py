"""Tests of CW-N026."""

from __future__ import annotations

from clusterwright.preflight.facts import routes
from tests.preflight.existing_network import EXISTING, VPC
from tests.preflight.harness import Harness


def test_custom_name_servers_are_reported(rule: Harness) -> None:
    names = routes.NameServers(VPC)
    rule.fails(
        "CW-N026",
        EXISTING,
        {names: ("10.9.0.2", "AmazonProvidedDNS")},
        path="network.existing.vpc_id",
        message=f"{VPC} uses 10.9.0.2 for DNS, not AmazonProvidedDNS",
        severity="warning",
    )
    rule.fails(
        "CW-N026",
        EXISTING,
        {names: ()},
        path="network.existing.vpc_id",
        message="uses no DNS server",
    )
    rule.passes("CW-N026", EXISTING, {names: ("AmazonProvidedDNS",)})
    rule.passes("CW-N026", EXISTING, {names: None})
