"""Data of the charts of a plan report."""

from __future__ import annotations

from clusterwright.sizing.report import Questions
from tests.support.plan_reports import plan_report


def test_charts_have_a_pareto_front() -> None:
    found = plan_report(Questions(charts=True), region="us-east-1")
    assert found.charts is not None
    front = [one for one in found.charts.front if one.on_front]
    assert front
    for one in front:
        for other in found.charts.front:
            if other.usd_p50 is None or one.usd_p50 is None:
                continue
            better = other.days_p50 < one.days_p50 and other.usd_p50 < one.usd_p50
            assert not better
    assert found.charts.run is not None
