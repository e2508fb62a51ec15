"""Tests of CW-E014."""

from __future__ import annotations

from clusterwright.preflight.facts.pcs import PcsCluster
from tests.preflight.harness import Harness
from tests.preflight.rules.support.pcs import ARN, SPEC, cluster
from tests.preflight.rules.support.platforms import PARALLELCLUSTER, stacks


def test_existing_pcs_cluster_name_is_reported(rule: Harness) -> None:
    there = {PcsCluster("test"): cluster()}
    rule.fails(
        "CW-E014",
        SPEC,
        {**there, **stacks()},
        path="environment",
        message="a PCS cluster named test already exists, and none of the stacks of ",
    )
    rule.passes("CW-E014", SPEC, {**there, **stacks(("AWS::PCS::Cluster", ARN))})
    rule.passes("CW-E014", SPEC, {PcsCluster("test"): None, **stacks()})
    rule.passes("CW-E014", PARALLELCLUSTER, tested=False)
