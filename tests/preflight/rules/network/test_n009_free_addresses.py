"""Tests of CW-N009."""

from __future__ import annotations

import dataclasses

from clusterwright.aws.sagemaker import Cluster, ClusterGroup
from clusterwright.preflight.facts import hyperpod
from tests.preflight.existing_network import (
    EXISTING,
    HERE,
    SUBNET,
)
from tests.preflight.harness import Harness
from tests.preflight.rules.support.ip_ranges import free, two_subnets
from tests.preflight.rules.support.networks import NEEDED, subnets
from tests.support import specs


def test_insufficient_free_addresses_are_reported(rule: Harness) -> None:
    rule.fails(
        "CW-N009",
        EXISTING,
        subnets(dataclasses.replace(HERE, free_addresses=NEEDED - 1)),
        path="network.existing.subnet_ids",
        message=f"the cluster needs {NEEDED} addresses (129 for nodes), {SUBNET} has 161 free",
        numbers=(NEEDED, 0, NEEDED - 1),
    )
    rule.passes("CW-N009", EXISTING, subnets(dataclasses.replace(HERE, free_addresses=NEEDED)))


def test_addresses_of_the_deployed_cluster_are_not_counted_twice(rule: Harness) -> None:
    workers = ClusterGroup("workers", "ml.p5.48xlarge", 4, False, None, 0)
    own = Cluster("test", "arn", "InService", (workers,))
    facts = {
        **subnets(dataclasses.replace(HERE, free_addresses=NEEDED - 128)),
        hyperpod.HyperPodClusters(): (own,),
    }
    rule.passes("CW-N009", EXISTING, facts)


def test_free_addresses_of_two_subnets_are_not_added_for_one_node(rule: Harness) -> None:
    # Four nodes of 32, one controller: 129 and headroom of 33.
    rule.passes("CW-N009", two_subnets(), free(100, 100))
    finding = rule.fails(
        "CW-N009",
        two_subnets(address_headroom_percent=0),
        free(63, 67),
        path="network.existing.subnet_ids",
        message="but no subnet has space for 1 of the nodes",
        severity="error",
    )
    assert "(1 of 32 addresses)" in finding.message
    rule.passes("CW-N009", two_subnets(address_headroom_percent=0), free(65, 64))


def test_file_systems_use_the_first_subnet(rule: Harness) -> None:
    lustre = {**two_subnets(), "storage.lustre": [specs.LUSTRE]}
    rule.fails(
        "CW-N009",
        lustre,
        free(1, 4000),
        path="network.existing.subnet_ids",
        message="the file systems need",
    )
    rule.passes("CW-N009", lustre, free(400, 400))
