"""Assumptions and properties of all samples."""

from __future__ import annotations

import numpy as np
import pytest

from clusterwright.catalog import load_catalog
from clusterwright.sizing import estimate, uncertainty
from clusterwright.sizing.goal import parse
from clusterwright.sizing.inputs import resolve
from clusterwright.sizing.uncertainty import Work

CATALOG = load_catalog()


def work(model: str = "llama3-70b", accelerator: str = "H100", count: int = 2048) -> Work:
    goal = parse(
        {
            "model": model,
            "tokens": "1T",
            "cluster": {"accelerator": accelerator, "accelerators": count},
        }
    )
    inputs = resolve(goal)
    hardware, accelerators, _ = estimate.cluster_of(goal, CATALOG)
    assert accelerators is not None
    training = estimate.training_for(goal, inputs.shape)
    option = estimate.best_option(inputs, hardware, accelerators, training)
    return estimate.work_of(option, inputs, training)


def known(model: str = "llama3-70b", nodes: int = 256) -> tuple[uncertainty.Assumption, ...]:
    goal = parse({"model": model, "tokens": "1T", "cluster": {"accelerator": "H100"}})
    hardware, _, _ = estimate.cluster_of(goal, CATALOG)
    return uncertainty.assumptions(resolve(goal).shape, hardware, nodes, recovery="automatic")


def test_samples_have_the_stated_quantiles() -> None:
    found = known("deepseek-v3")
    drawn = uncertainty.sample(found, seed=0)
    for assumption in found:
        quantiles = np.quantile(drawn[assumption.key], (0.1, 0.5, 0.9))
        values = assumption.values
        assert quantiles == pytest.approx((values.p10, values.p50, values.p90), rel=0.01)


def test_samples_depend_on_assumptions_and_seed_only_and_are_read_only() -> None:
    drawn = uncertainty.sample(known(), seed=0)
    first = next(iter(drawn))
    before = drawn[first].copy()
    with pytest.raises(ValueError, match="read-only"):
        drawn[first][0] = 0.0
    uncertainty.sample.cache_clear()
    again = uncertainty.sample(known(), seed=0)
    assert again is not drawn
    assert np.array_equal(again[first], before)
    assert not np.array_equal(uncertainty.sample(known(), seed=1)[first], before)


def test_samples_of_two_assumptions_are_independent() -> None:
    drawn = uncertainty.sample(known(), seed=0)
    table = np.corrcoef(np.vstack([np.log(np.abs(values)) for values in drawn.values()]))
    assert np.abs(table - np.eye(len(table))).max() < 0.06


def test_no_sample_exceeds_the_ceiling() -> None:
    found = work()
    middle = {a.key: np.array([a.values.p50]) for a in known()}
    lucky = {**middle, "practice": np.array([1e3]), "network": np.array([1e3])}
    outcome = uncertainty.evaluate(found, 1e12, lucky)
    rate = outcome.in_run_mfu[0] * found.peak_flops / (6 * found.active)
    share = rate * found.work_flops_per_token / found.peak_flops
    assert share == pytest.approx(found.ceiling)
    assert outcome.days[0] < uncertainty.evaluate(found, 1e12, middle).days[0]


def test_every_assumption_has_the_expected_direction() -> None:
    found, base = work("deepseek-v3"), known("deepseek-v3")
    middle = {a.key: np.array([a.values.p50]) for a in base}
    usual = uncertainty.evaluate(found, 1e12, middle).days[0]
    slower = {
        "model_error": 0.5,
        "practice": 0.5,
        "stack": 0.0,
        "network": 0.5,
        "imbalance": 2.0,
        "failures": 0.02,
        "restart": 60.0,
        "save": 120.0,
        "programme": 0.5,
    }
    for key, value in slower.items():
        days = uncertainty.evaluate(found, 1e12, {**middle, key: np.array([value])}).days[0]
        assert days > usual, key


def test_the_failure_rate_of_large_jobs_is_widened_upward_only() -> None:
    def rate(nodes: int) -> uncertainty.Quantiles:
        return next(a for a in known(nodes=nodes) if a.key == "failures").values

    assert rate(1) == rate(16) == uncertainty.reliability.FAILURES_PER_NODE_DAY
    assert rate(128).p90 == pytest.approx(2 * 6.5e-3)
    assert rate(2048) == rate(128)
    assert rate(2048).p50 == rate(1).p50


def test_median_of_one_point_is_near_the_median_of_many() -> None:
    """Not equal: spreads that are wider towards slow runs raise the median of their product."""
    found, base = work(), known()
    drawn = uncertainty.sample(base, seed=3)
    many = float(np.median(uncertainty.evaluate(found, 1e12, drawn).days))
    assert uncertainty.median_days(found, 1e12, base) == pytest.approx(many, rel=0.1)


def test_interval_is_neither_too_narrow_nor_too_wide() -> None:
    """P90 over P10: wide enough for production losses, narrow enough for a decision."""
    for model, low, high in (("llama3-70b", 1.5, 2.4), ("deepseek-v3", 1.7, 3.6)):
        drawn = uncertainty.sample(known(model), seed=0)
        days = uncertainty.quantiles(uncertainty.evaluate(work(model), 1e12, drawn).days)
        assert low < days.p90 / days.p10 < high
