"""Tests of the network interface quotas."""

from __future__ import annotations

from typing import Any

from clusterwright.preflight.facts import counts, hyperpod, network
from tests.preflight.existing_network import EXISTING, HERE
from tests.preflight.harness import Harness, quota
from tests.preflight.quota_facts import OWN
from tests.preflight.rules.support.more_quotas import interfaces
from tests.support import specs


def test_network_interface_quota_of_the_zone(rule: Harness) -> None:
    # Four p5.48xlarge with 32 network cards each, and the controller.
    facts: dict[Any, Any] = {
        counts.NetworkInterfaces(): (*interfaces(300), *interfaces(900, "subnet-elsewhere")),
        network.Subnets(): (HERE,),
        hyperpod.HyperPodClusters(): (),
    }
    rule.fails(
        "CW-Q044",
        None,
        {**facts, **quota("vpc", "L-DF5E4CA3", 400)},
        path="compute[1].count",
        message="5 nodes need 129",
        severity="warning",
        numbers=(129, 300, 400),
    )
    rule.passes("CW-Q044", None, {**facts, **quota("vpc", "L-DF5E4CA3", 429)})
    # The six nodes of the deployed cluster use 192 of the 300.
    standing: dict[Any, Any] = {**facts, hyperpod.HyperPodClusters(): (OWN,)}
    rule.passes("CW-Q044", None, {**standing, **quota("vpc", "L-DF5E4CA3", 237)})


def test_insufficient_network_interfaces_are_an_error_on_ec2(rule: Harness) -> None:
    facts: dict[Any, Any] = {
        counts.NetworkInterfaces(): (),
        network.Subnets(): (),
        hyperpod.HyperPodClusters(): (),
        **quota("vpc", "L-DF5E4CA3", 100),
    }
    rule.fails(
        "CW-Q044",
        None,
        facts,
        spec=specs.unchecked(rule.folder, {"platform": "parallelcluster"}),
        path="compute[1].count",
        message="5 nodes need 133",
        severity="error",
    )


def test_network_address_usage_is_limited(rule: Harness) -> None:
    """A node with 32 cards has 32 addresses and 31 interfaces besides the first: 63 units."""
    facts: dict[Any, Any] = {
        counts.NetworkInterfaces(): interfaces(40),
        hyperpod.HyperPodClusters(): (),
    }
    rule.fails(
        "CW-Q050",
        EXISTING,
        {**facts, **quota("vpc", "L-BB24F6E5", 290)},
        path="compute[1].count",
        message="5 nodes need 253 NAU",
        severity="warning",
        numbers=(253, 40, 290),
    )
    rule.passes("CW-Q050", EXISTING, {**facts, **quota("vpc", "L-BB24F6E5", 293)})
    # A new VPC is empty.
    rule.passes("CW-Q050", None, {**facts, **quota("vpc", "L-BB24F6E5", 253)})
