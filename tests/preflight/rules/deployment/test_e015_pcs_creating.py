"""Tests of CW-E015."""

from __future__ import annotations

from clusterwright.preflight.facts.pcs import PcsClusters
from clusterwright.preflight.rules.deployment import e015_pcs_creating
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


def test_an_unknown_state_is_unknown(rule: Harness) -> None:
    rule.unsure(
        "CW-E015",
        SPEC,
        {PcsClusters(): {"other": "PROVISIONING"}},
        path="platform",
        message="the PCS cluster other is PROVISIONING, a state that this version does not know",
    )


def test_the_states_are_those_of_the_api_model() -> None:
    from botocore.loaders import Loader

    model = Loader().load_service_model("pcs", "service-2")
    states = set(model["shapes"]["ClusterStatus"]["enum"])
    assert states == e015_pcs_creating._OTHERS | {"CREATING"}
