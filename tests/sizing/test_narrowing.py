"""Narrowing a distribution: its three properties for any values, and published cases."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from clusterwright.sizing import reliability
from clusterwright.sizing.narrowing import (
    RUN_NOISE,
    Observed,
    correlation,
    failures,
    narrowed,
    repeated_error,
    run_error,
)
from clusterwright.sizing.plan_types import Quantiles, narrower

RELATIVE = 1e-9


@st.composite
def intervals(draw: st.DrawFn) -> Quantiles:
    middle = draw(st.floats(1e-3, 1e7))
    low, high = draw(st.floats(0.01, 2)), draw(st.floats(0.01, 2))
    return Quantiles(middle * math.exp(-low), middle, middle * math.exp(high))


def contains(interval: Quantiles, value: float) -> bool:
    return interval.p10 * (1 - RELATIVE) <= value <= interval.p90 * (1 + RELATIVE)


@given(intervals(), st.floats(-6, 6), st.floats(0.001, 2))
def test_the_new_interval_contains_the_measured_value(
    before: Quantiles, away: float, error: float
) -> None:
    value = before.p50 * math.exp(away)
    assert contains(narrowed(before, Observed(value, error, before)), value)


@given(intervals(), st.floats(0, 1), st.floats(0.001, 2))
def test_a_value_in_the_interval_narrows_it_and_moves_the_median_towards_it(
    before: Quantiles, position: float, error: float
) -> None:
    value = before.p10 * (before.p90 / before.p10) ** position
    after = narrowed(before, Observed(value, error, before))
    assert narrower(before, after) > 0
    low, high = sorted((before.p50, value))
    assert low * (1 - RELATIVE) <= after.p50 <= high * (1 + RELATIVE)


@given(intervals(), st.floats(-3, 3), st.integers(1, 50), st.integers(1, 50))
def test_more_runs_of_the_same_value_narrow_more(
    before: Quantiles, away: float, runs: int, more: int
) -> None:
    value = before.p50 * math.exp(away)
    few = narrowed(before, Observed(value, run_error(runs), before))
    many = narrowed(before, Observed(value, run_error(runs + more), before))
    assert many.p90 / many.p10 < few.p90 / few.p10
    assert abs(math.log(many.p50 / value)) <= abs(math.log(few.p50 / value)) + RELATIVE


@given(intervals(), st.floats(-1, 1), st.floats(0, 1))
def test_a_less_correlated_quantity_narrows_less(
    before: Quantiles, away: float, share: float
) -> None:
    value = before.p50 * math.exp(away)
    assume(contains(before, value))
    same = narrowed(before, Observed(value, RUN_NOISE, before))
    other = narrowed(before, Observed(value, RUN_NOISE, before, share))
    assert narrower(before, other) + RELATIVE >= 0
    assert narrower(before, other) <= narrower(before, same) + RELATIVE


def test_an_uncorrelated_quantity_changes_nothing() -> None:
    before = Quantiles(1.0, 2.0, 3.0)
    after = narrowed(before, Observed(2.5, 0.1, before, 0.0))
    assert vars(after) == pytest.approx(vars(before))


def test_an_interval_without_width_follows_the_measurement() -> None:
    before = Quantiles(2.0, 2.0, 2.0)
    assert narrowed(before, Observed(2.0, 0.1, before)) == before
    assert contains(narrowed(before, Observed(3.0, 0.1, before)), 3.0)


def test_the_weights_of_one_run_by_hand() -> None:
    """Widths of 0.24 and 0.12: the median moves by 4/5 of the way, the width by sqrt(1/5)."""
    spread = math.exp(0.24 * 1.2815515655446004)
    before = Quantiles(100 / spread, 100.0, 100 * spread)
    after = narrowed(before, Observed(110.0, 0.12, before))
    assert after.p50 == pytest.approx(100 * 1.1**0.8)
    assert math.log(after.p90 / after.p50) == pytest.approx(math.log(spread) * math.sqrt(0.2))


@given(st.integers(1, 10_000), st.integers(1, 20))
def test_repeated_values_have_at_least_the_error_of_a_run(count: int, runs: int) -> None:
    before = reliability.RECOVERY_MINUTES["automatic"]
    assert repeated_error(before, count, runs) > run_error(runs)
    assert repeated_error(before, count + 1, runs) < repeated_error(before, count, runs)


RATES = reliability.FAILURES_PER_NODE_DAY


@given(st.integers(0, 500), st.floats(1, 1e5), st.floats(1.1, 10))
def test_a_longer_time_with_as_many_failures_lowers_the_rate(
    count: int, node_days: float, factor: float
) -> None:
    first, second = failures(RATES, count, node_days), failures(RATES, count, factor * node_days)
    assert second.p50 < first.p50


@given(st.integers(0, 500), st.floats(1, 1e5))
def test_another_failure_raises_the_rate(count: int, node_days: float) -> None:
    assert failures(RATES, count + 1, node_days).p50 > failures(RATES, count, node_days).p50


def test_many_failures_give_the_measured_rate() -> None:
    """The 419 interruptions of Llama 3 (arXiv:2407.21783) in 2,048 x 54 node-days."""
    after = failures(RATES, 419, 2048 * 54)
    assert after.p50 == pytest.approx(419 / (2048 * 54), rel=0.01)
    assert contains(after, 419 / (2048 * 54))
    assert narrower(RATES, after) > 0.8


def test_no_failure_in_a_short_time_says_little() -> None:
    after = failures(RATES, 0, 1.0)
    assert after.p50 == pytest.approx(RATES.p50, rel=0.01)
    assert failures(RATES, 0, 3000.0).p90 < RATES.p50


def test_correlation_of_logarithms() -> None:
    values = np.array([1.0, 2.0, 8.0])
    assert correlation(values, 3 * values**2) == pytest.approx(1.0)
    assert correlation(values, 1 / values) == pytest.approx(-1.0)
    assert correlation(values, np.ones(3)) == 1.0
