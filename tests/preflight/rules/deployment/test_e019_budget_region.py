"""Tests of CW-E019."""

from __future__ import annotations

from clusterwright.platforms import budget_regions
from tests.preflight.harness import Harness

BUDGET = {"budget": {"monthly_usd": 1000, "alert_emails": ["ops@acme.example"]}}


def test_a_region_without_budgets_is_reported(rule: Harness) -> None:
    there = {
        **BUDGET,
        "region": "eu-central-2",
        "network": {"availability_zone_id": "euc2-az1"},
    }
    rule.fails(
        "CW-E019",
        there,
        path="budget.monthly_usd",
        message="CloudFormation is not known to create budgets in eu-central-2",
        severity="warning",
    )


def test_other_regions_and_specs(rule: Harness) -> None:
    rule.passes("CW-E019", BUDGET)
    rule.passes("CW-E019", {"budget": {"run_usd": 10}}, tested=False)
    assert {"us-east-1", "eu-west-1", "us-west-2"} <= budget_regions.REGIONS
