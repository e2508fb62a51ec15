"""Tests of CW-E018."""

from __future__ import annotations

from typing import Any

from clusterwright.preflight.facts.pcs import ServiceOffered
from tests.preflight.harness import Harness

GRAFANA: dict[str, Any] = {"observability": {"prometheus": True, "grafana": {}}}
ELSEWHERE: dict[str, Any] = {
    **GRAFANA,
    "region": "ca-central-1",
    "network.availability_zone_id": "cac1-az1",
}
OFFERED = ServiceOffered("ca-central-1", "grafana")


def test_a_region_without_grafana_is_reported(rule: Harness) -> None:
    rule.fails(
        "CW-E018",
        ELSEWHERE,
        {OFFERED: False},
        path="observability.grafana",
        message="AWS does not list Amazon Managed Grafana among the services of ca-central-1",
    )
    rule.passes("CW-E018", ELSEWHERE, {OFFERED: True})


def test_a_listed_region_needs_no_answer_of_the_account(rule: Harness) -> None:
    rule.passes("CW-E018", GRAFANA)
    rule.passes("CW-E018", {}, tested=False)
