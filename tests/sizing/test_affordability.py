"""Levels of training that a budget affords."""

from __future__ import annotations
import datetime as dt
from typing import Any
import pytest
from clusterwright.catalog import load_catalog
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.goal import ClusterGoal, parse
from clusterwright.sizing.ownership import Owned
from clusterwright.sizing.report import Questions, build_report
from clusterwright.sizing.report_types import PlanReport
from tests.support.plan_reports import DAY, plan_report


def test_a_budget_below_the_p90_of_a_named_cluster_is_a_warning() -> None:
    cluster = {"instance_type": "p5.48xlarge", "nodes": 512}
    found = plan_report(region="us-east-1", cluster=cluster, budget_usd=5.5e7)
    assert "below the P90" in found.plan.warnings[0]
    assert [one.reached for one in found.levels] == ["yes", "yes", "yes", "no"]
