"""Tests of CW-N011."""

from __future__ import annotations

import pytest

from clusterwright.preflight.facts import network
from tests.preflight.existing_network import (
    EXISTING,
    VPC,
)
from tests.preflight.harness import Harness


@pytest.mark.parametrize(
    ("dns", "message"),
    [
        ((False, True), "enableDnsSupport is disabled"),
        ((True, False), "enableDnsHostnames is disabled"),
        ((False, False), "enableDnsSupport and enableDnsHostnames are disabled"),
    ],
)
def test_disabled_dns_is_reported(rule: Harness, dns: tuple[bool, bool], message: str) -> None:
    facts = {network.VpcDns(VPC): dns}
    rule.fails("CW-N011", EXISTING, facts, path="network.existing.vpc_id", message=message)
    rule.passes("CW-N011", EXISTING, {network.VpcDns(VPC): (True, True)})
