"""Tests of CW-E016."""

from __future__ import annotations

from typing import Any

from clusterwright.preflight.facts.pcs import ServiceOffered
from tests.preflight.harness import Harness
from tests.preflight.rules.support.pcs import SPEC
from tests.preflight.rules.support.platforms import PARALLELCLUSTER

ELSEWHERE: dict[str, Any] = {
    **SPEC,
    "region": "ca-central-1",
    "network.availability_zone_id": "cac1-az1",
}
OFFERED = ServiceOffered("ca-central-1", "pcs")


def test_a_region_without_pcs_is_reported(rule: Harness) -> None:
    rule.fails(
        "CW-E016",
        ELSEWHERE,
        {OFFERED: False},
        path="region",
        message="AWS does not list PCS among the services of ca-central-1",
    )
    rule.passes("CW-E016", ELSEWHERE, {OFFERED: True})


def test_a_documented_region_needs_no_answer_of_the_account(rule: Harness) -> None:
    rule.passes("CW-E016", SPEC)
    rule.passes("CW-E016", PARALLELCLUSTER, tested=False)
