"""Types of the plan report."""

from __future__ import annotations

import pytest

from clusterwright.sizing.plan_types import Quantiles
from clusterwright.sizing.report_types import Recovery


@pytest.mark.parametrize(
    ("closed", "simulated", "expected"),
    [(0.95, 0.95, True), (0.95, 0.935, True), (0.93, 0.95, True), (0.95, 0.92, False)],
)
def test_two_methods_agree_within_two_points(
    closed: float, simulated: float, expected: bool
) -> None:
    quantiles = Quantiles(simulated, simulated, simulated)
    recovery = Recovery("automatic", 5, closed, quantiles, simulated, quantiles, {})
    assert recovery.agrees is expected
