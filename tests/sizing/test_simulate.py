"""The simulation compared with the closed form, and effects of spares and tiers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clusterwright.sizing import reliability
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.simulate import SimulationOutcome, SimulationSetup, Tier, run

RATE = 3.79e-3
HOURS = 90 * 24


def setup(nodes: int = 2048, **changes: object) -> SimulationSetup:
    mtti = reliability.mtti_hours(float(nodes), RATE)
    base = SimulationSetup(
        nodes=nodes,
        days=90,
        failures_per_node_day=RATE,
        restart_seconds=600,
        save_seconds=30,
        interval_seconds=reliability.daly_hours(30 / 3600, mtti) * 3600,
        spares=60,
    )
    return replace(base, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("nodes", [32, 256, 1024, 2048])
def test_simulation_agrees_with_the_closed_form_where_valid(nodes: int) -> None:
    found = run(setup(nodes), runs=1000)
    assert found.difference == pytest.approx(0, abs=0.001)
    assert found.agrees


@pytest.mark.parametrize(
    ("restart", "save", "interval"), [(60, 5, 300), (1800, 60, 900), (600, 30, 7200)]
)
def test_simulation_agrees_at_other_intervals(
    restart: float, save: float, interval: float
) -> None:
    found = run(
        setup(restart_seconds=restart, save_seconds=save, interval_seconds=interval), runs=500
    )
    assert found.difference == pytest.approx(0, abs=0.004)


def test_number_of_interruptions_matches_the_rate() -> None:
    found = run(setup(), runs=400)
    assert found.interruptions.p50 == pytest.approx(2048 * 90 * RATE, rel=0.03)


def test_time_is_accounted_once() -> None:
    found = run(setup(spares=1), runs=300)
    assert found.mean * HOURS + sum(found.lost_hours.values()) == pytest.approx(HOURS, rel=1e-3)


def test_insufficient_spares_differ_from_the_closed_form() -> None:
    none, enough = run(setup(spares=0), runs=300), run(setup(spares=40), runs=300)
    assert none.mean < 0.5 < enough.mean
    assert not none.agrees
    assert none.lost_hours["waiting for a node"] > 1000
    assert enough.lost_hours["waiting for a node"] < 1


def test_more_spares_never_reduce_goodput() -> None:
    means = [run(setup(spares=n), runs=300, seed=3).mean for n in (0, 1, 2, 4, 8)]
    assert means == sorted(means)


def test_fast_first_tier_increases_goodput() -> None:
    lustre = setup(save_seconds=60, interval_seconds=1800)
    tiers = (Tier("nvme", survives=0.9), Tier("lustre", every=6, drain_seconds=120))
    nvme = replace(lustre, tiers=tiers, save_seconds=5, interval_seconds=300)
    assert run(nvme, runs=300).mean > run(lustre, runs=300).mean + 0.05


def test_lost_tier_falls_back_to_the_next() -> None:
    """If nothing survives on NVMe, the run equals one that saves only to Lustre."""
    tiers = (Tier("nvme", survives=0.0), Tier("lustre", every=6))
    two = run(setup(tiers=tiers, interval_seconds=300, node_loss_share=1.0), runs=300)
    every = run(setup(interval_seconds=300, node_loss_share=1.0), runs=300)
    assert two.lost_hours["lost work"] > 3 * every.lost_hours["lost work"]


def test_slow_drain_loses_more_work() -> None:
    quick = run(setup(tiers=(Tier("s3", drain_seconds=0),)), runs=300)
    slow = run(setup(tiers=(Tier("s3", drain_seconds=3600),)), runs=300)
    assert slow.mean < quick.mean - 0.05


def test_rarely_written_tier_loses_more_than_one_interval() -> None:
    """Saves only to S3 every 20 hours, failures every 3: progress is lost repeatedly."""
    rare = setup(interval_seconds=1200, tiers=(Tier("s3", every=60),), node_loss_share=1.0)
    assert run(rare, runs=100).mean < 0.1


def test_spot_interruptions_are_failures() -> None:
    calm, spot = (
        run(setup(256), runs=200),
        run(setup(256, spot_interruptions_per_node_day=0.02), runs=200),
    )
    assert spot.interruptions.p50 > 5 * calm.interruptions.p50
    assert spot.mean < calm.mean


def test_run_without_failures_only_saves() -> None:
    found = run(setup(failures_per_node_day=0.0), runs=3)
    interval = setup().interval_seconds
    assert found.mean == pytest.approx(interval / (interval + 30), rel=1e-3)


def test_seed_determines_the_runs() -> None:
    assert run(setup(), runs=50, seed=7) == run(setup(), runs=50, seed=7)
    assert run(setup(), runs=50, seed=7) != run(setup(), runs=50, seed=8)
    assert isinstance(run(setup(), runs=50), SimulationOutcome)


@pytest.mark.parametrize(
    "change",
    [
        {"nodes": 0},
        {"days": -1.0},
        {"days": float("nan")},
        {"failures_per_node_day": -1.0},
        {"failures_per_node_day": float("inf")},
        {"interval_seconds": 0.0},
        {"tiers": ()},
        {"node_loss_share": 2.0},
        {"replacement_seconds": 0.0},
    ],
)
def test_invalid_inputs_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(GoalError):
        run(replace(setup(), **change), runs=2)  # type: ignore[arg-type]
    with pytest.raises(GoalError):
        run(setup(), runs=0)
