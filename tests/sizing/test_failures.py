"""Goodput by recovery, simulated and by the closed form."""

from __future__ import annotations

import pytest

from clusterwright.sizing.report_types import PlanReport


def test_recoveries_are_ordered_and_include_the_closed_form(east: PlanReport) -> None:
    failures = east.failures
    assert failures is not None
    manual, automatic, checkpointless = failures.recoveries
    assert manual.simulated_mean < automatic.simulated_mean < checkpointless.simulated_mean
    for one in failures.recoveries:
        assert one.simulated.p10 <= one.simulated.p50 <= one.simulated.p90
        assert one.simulated_mean == pytest.approx(one.closed_form, abs=0.05)
    assert failures.mtti_hours.p50 == pytest.approx(24 / (east.plan.chosen.nodes * 3.8e-3))
