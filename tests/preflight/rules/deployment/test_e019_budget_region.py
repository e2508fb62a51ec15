"""Tests of CW-E019."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

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


def test_every_entry_is_a_region() -> None:
    for region in budget_regions.REGIONS:
        assert re.fullmatch(r"[a-z]{2,4}(-[a-z]+)+-\d", region)


def test_the_regions_are_those_of_the_schemas() -> None:
    cfnlint = pytest.importorskip("cfnlint")
    folder = Path(cfnlint.__file__).parent / "data" / "schemas" / "providers"
    found = {
        file.stem
        for file in folder.glob("*-*.json")
        if '"AWS::Budgets::Budget"' in file.read_text(encoding="utf-8")
    }
    assert found == budget_regions.REGIONS
