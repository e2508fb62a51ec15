"""Quotas of a planned cluster."""

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


def test_quotas_are_of_the_chosen_type_with_spares(east: PlanReport) -> None:
    assert east.failures is not None
    wanted = east.plan.chosen.nodes + east.failures.spares
    by_code = {quota.code: quota for quota in east.quotas}
    assert by_code["L-8762A75F"].wanted == wanted
    assert by_code["L-2CE978FC"].wanted == wanted + 2
    assert by_code["L-2CE978FC"].default == 20
