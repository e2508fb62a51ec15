"""Tests of CW-L018."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.preflight.rules.support.platforms import EKS

OPEN = {"acceptance": {"hold": False}}
LEVEL = {"acceptance": {"level": "standard"}}


def test_a_cluster_whose_nodes_take_jobs_untested_is_reported(rule: Harness) -> None:
    rule.fails(
        "CW-L018",
        OPEN,
        path="acceptance.hold",
        message="nodes of workers before they are accepted",
        severity="warning",
    )
    # Nodes are held if the file does not say otherwise.
    rule.passes("CW-L018", LEVEL)


def test_clusters_on_which_it_is_not_expected_are_not_reported(rule: Harness) -> None:
    rule.passes("CW-L018", EKS, tested=False)
    rule.passes("CW-L018", {"compute.1.instance_type": "m5.4xlarge", **OPEN}, tested=False)
