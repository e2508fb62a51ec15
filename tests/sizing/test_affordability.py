"""Levels of training that a budget affords."""

from __future__ import annotations

from tests.support.plan_reports import plan_report


def test_budget_below_the_p90_of_a_cluster_is_a_warning() -> None:
    cluster = {"instance_type": "p5.48xlarge", "nodes": 512}
    found = plan_report(region="us-east-1", cluster=cluster, budget_usd=5.5e7)
    assert "below the P90" in found.plan.warnings[0]
    assert [one.reached for one in found.levels] == ["yes", "yes", "yes", "no"]
