"""Tests of CW-E015."""

from __future__ import annotations

from clusterwright.preflight.facts.pcs import PcsClusters
from tests.preflight.harness import Harness
from tests.preflight.rules.support.pcs import SPEC
from tests.preflight.rules.support.platforms import PARALLELCLUSTER


def test_another_cluster_that_is_being_created_is_reported(rule: Harness) -> None:
    found = rule.fails(
        "CW-E015",
        SPEC,
        {PcsClusters(): {"old": "ACTIVE", "other": "CREATING"}},
        path="platform",
        message="the PCS cluster other is being created: PCS creates one cluster at a time",
        severity="error",
    )
    assert found.hint == "deploy when other is ACTIVE"
    rule.passes("CW-E015", SPEC, {PcsClusters(): {"old": "ACTIVE", "other": "UPDATING"}})
    rule.passes("CW-E015", PARALLELCLUSTER, tested=False)


def test_an_update_creates_no_cluster(rule: Harness) -> None:
    rule.passes("CW-E015", SPEC, {PcsClusters(): {"test": "ACTIVE", "other": "CREATING"}})
    rule.passes("CW-E015", SPEC, {PcsClusters(): {"test": "CREATING"}})
