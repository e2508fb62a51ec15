"""One simulated run and its spans."""

from __future__ import annotations

import itertools

import pytest

from clusterwright.sizing import simulate
from clusterwright.sizing.simulate import SimulationSetup, Tier
from clusterwright.sizing.simulated_run import simulated_run

SETUP = SimulationSetup(
    nodes=256,
    days=60,
    failures_per_node_day=3.8e-3,
    restart_seconds=720,
    save_seconds=15,
    interval_seconds=1800,
    tiers=(Tier("nvme", survives=0.22), Tier("lustre", drain_seconds=60, load_seconds=120)),
    spares=2,
)


def test_spans_have_no_gaps() -> None:
    found = simulated_run(SETUP, seed=3)
    assert found.spans[0].start_hour == 0
    assert found.spans[-1].end_hour == pytest.approx(60 * 24)
    for before, after in itertools.pairwise(found.spans):
        assert before.end_hour == pytest.approx(after.start_hour)
        assert before.start_hour <= before.end_hour
    assert found.failures == sum(1 for span in found.spans if span.state == "restart")


def test_mean_of_many_runs_equals_the_simulation() -> None:
    many = [simulated_run(SETUP, seed=seed) for seed in range(200)]
    outcome = simulate.run(SETUP, runs=400, seed=1)
    mean = sum(one.useful_share for one in many) / len(many)
    assert mean == pytest.approx(outcome.mean, abs=0.01)
    failures = sum(one.failures for one in many) / len(many)
    assert failures == pytest.approx(outcome.interruptions.p50, rel=0.1)


def test_only_saves_cost_time_without_failures() -> None:
    calm = SimulationSetup(
        nodes=4,
        days=10,
        failures_per_node_day=0.0,
        restart_seconds=1,
        save_seconds=100,
        interval_seconds=900,
    )
    found = simulated_run(calm)
    assert found.failures == 0
    assert found.useful_share == pytest.approx(0.9)


def test_seed_determines_the_run() -> None:
    assert simulated_run(SETUP, seed=5) == simulated_run(SETUP, seed=5)
    assert simulated_run(SETUP, seed=5) != simulated_run(SETUP, seed=6)
