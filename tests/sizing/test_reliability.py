"""Closed forms compared with published numbers and with each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.sizing import reliability as r
from clusterwright.sizing.errors import GoalError

RATE = 3.79e-3


@pytest.mark.parametrize(
    ("nodes", "hours", "low", "high"),
    [
        (32, 198, 115, 320),
        (128, 49, 29, 80),
        (256, 24.7, 14.4, 40),
        (512, 12.4, 7.2, 20),
        (2048, 3.1, 1.8, 5.0),
    ],
)
def test_mean_time_to_interruption(nodes: int, hours: float, low: float, high: float) -> None:
    assert r.mtti_hours(float(nodes), RATE) == pytest.approx(hours, rel=0.01)
    assert r.mtti_hours(float(nodes), 6.5e-3) == pytest.approx(low, rel=0.03)
    assert r.mtti_hours(float(nodes), 2.34e-3) == pytest.approx(high, rel=0.03)


@pytest.mark.parametrize(
    ("nodes", "restart_min", "save_s", "interval_min", "ettr"),
    [(256, 10, 30, 38, 0.968), (2048, 10, 30, 13.6, 0.877), (2048, 3, 5, 5.6, 0.955)],
)
def test_effective_training_time_ratio_is_computed(
    nodes: int, restart_min: float, save_s: float, interval_min: float, ettr: float
) -> None:
    mtti = r.mtti_hours(float(nodes), RATE)
    best = r.young_hours(save_s / 3600, mtti)
    assert best * 60 == pytest.approx(interval_min, rel=0.02)
    # Kokolis et al. 2025: (1 - (u + t/2)/M) / (1 + w/t).
    lost = (restart_min / 60 + best / 2) / mtti
    found = (1 - lost) / (1 + save_s / 3600 / best)
    assert found == pytest.approx(ettr, abs=0.002)
    # Daly's full form differs by second-order terms only.
    full = r.goodput(mtti, restart_min / 60, best, save_s / 3600)
    assert full == pytest.approx(found, abs=0.01)


@given(st.floats(0.5, 1e4), st.floats(1e-4, 0.5), st.floats(1e-3, 2.0), st.floats(0.02, 10.0))
def test_goodput_is_between_0_and_1(
    mtti: float, save: float, restart: float, interval: float
) -> None:
    found = r.goodput(mtti, restart, interval, save)
    assert 0 <= found < 1
    assert r.goodput(mtti * 2, restart, interval, save) >= found
    assert r.goodput(mtti, restart * 2, interval, save) <= found
    assert r.goodput(mtti, restart, interval, save * 2) <= found


@given(st.floats(2, 1e4), st.floats(1e-4, 0.02), st.floats(1e-3, 0.3))
def test_daly_interval_is_optimal(mtti: float, save: float, restart: float) -> None:
    best = r.daly_hours(save, mtti)
    there = r.goodput(mtti, restart, best, save)
    for factor in (0.5, 0.8, 1.25, 2):
        assert r.goodput(mtti, restart, best * factor, save) <= there + 2e-4


def test_tenth_of_the_mean_time_equals_young_for_one_save_time() -> None:
    """000-20: 150 minutes give 15; Young agrees for a blocking save of 45 s."""
    assert r.tenth_hours(2.5) * 60 == pytest.approx(15)
    assert r.young_hours(45 / 3600, 2.5) * 60 == pytest.approx(15)
    side = r.intervals(2.5, 5 / 3600, 0.2)
    assert side.young_hours < side.tenth_hours
    assert side.goodput_young > side.goodput_tenth


def test_save_longer_than_the_mean_time_is_not_approximated() -> None:
    assert r.daly_hours(3.0, 1.0) == 1.0
    with pytest.raises(GoalError):
        r.intervals(0.0, 0.1, 0.1)
    with pytest.raises(GoalError):
        r.intervals(float("nan"), 0.1, 0.1)


def test_arrays_and_floats_have_equal_results() -> None:
    nodes = np.array([32.0, 256.0, 2048.0])
    many = r.goodput(
        r.mtti_hours(nodes, np.full(3, RATE)), np.full(3, 0.2), np.full(3, 0.5), np.full(3, 0.01)
    )
    each = [r.goodput(r.mtti_hours(float(n), RATE), 0.2, 0.5, 0.01) for n in nodes]
    assert np.allclose(many, each)


def test_number_of_spares_is_computed() -> None:
    assert r.spares_suggested(256, RATE, 1.0) == 3
    assert r.spares_suggested(1, RATE, 0.1) == 1
