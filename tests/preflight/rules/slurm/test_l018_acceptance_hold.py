"""Tests of CW-L018."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.preflight.rules.support.platforms import EKS

HELD = {"acceptance": {"hold": True}}
LEVEL = {"acceptance": {"level": "standard"}}


def test_a_cluster_whose_nodes_take_jobs_untested_is_reported(rule: Harness) -> None:
    # The level alone holds no node.
    rule.fails(
        "CW-L018",
        LEVEL,
        path="acceptance.hold",
        message="nodes of workers before they are accepted",
        severity="warning",
    )
    rule.passes("CW-L018", HELD)


def test_clusters_on_which_it_is_not_expected_are_not_reported(rule: Harness) -> None:
    rule.passes("CW-L018", tested=False)
    rule.passes("CW-L018", EKS, tested=False)
    rule.passes("CW-L018", {"compute.1.instance_type": "m5.4xlarge", **LEVEL}, tested=False)
