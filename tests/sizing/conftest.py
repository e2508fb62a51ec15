"""Fixtures of the tests of sizing."""

from __future__ import annotations

import pytest

from clusterwright.sizing.report_types import PlanReport
from tests.support.plan_reports import plan_report


@pytest.fixture(scope="session")
def east() -> PlanReport:
    """The report of the goal in us-east-1."""
    return plan_report(region="us-east-1")
