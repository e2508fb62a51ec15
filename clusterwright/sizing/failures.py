"""Interruptions of a plan: mean time between them, checkpoint intervals, goodput by recovery."""

from __future__ import annotations

from typing import Final

from clusterwright.sizing import reliability, simulate
from clusterwright.sizing.goal import Goal
from clusterwright.sizing.plan_types import Plan, Quantiles
from clusterwright.sizing.report_types import Failures, Recovery
from clusterwright.sizing.selection import spare_nodes
from clusterwright.sizing.simulate import SimulationSetup
from clusterwright.sizing.storage import StoragePlan

SIMULATED_RUNS: Final = 400
SIMULATED_FAILURES: Final = 2000
"""Expected failures after which a simulated run ends: more change the goodput no further."""


def plan_failures(plan: Plan, storage: StoragePlan | None, goal: Goal) -> Failures:
    """Simulate the chosen cluster with each kind of recovery, beside the closed form."""
    chosen = plan.chosen
    rates = failure_rates(plan)
    nodes = float(chosen.nodes)
    mtti = Quantiles(
        reliability.mtti_hours(nodes, rates.p90),
        reliability.mtti_hours(nodes, rates.p50),
        reliability.mtti_hours(nodes, rates.p10),
    )
    save = storage.blocking_seconds if storage else reliability.BLOCKING_SAVE_SECONDS.p50
    run_days = min(90.0, max(1.0, plan.estimate.days.p50))
    days = min(run_days, max(1.0, SIMULATED_FAILURES / (nodes * rates.p50)))
    remark = (
        "the closed form assumes one tier and a spare that is always available; the simulation "
        "loses local disks with their node, drains to Lustre, and waits when spares run out"
    )
    if days < run_days:
        remark += f"; it covers {days:.2g} days, in which about {SIMULATED_FAILURES:,} nodes fail"
    setups: dict[str, SimulationSetup] = {}
    recoveries = []
    for name, minutes in reliability.RECOVERY_MINUTES.items():
        setups[name] = _setup(
            chosen.nodes, days, mtti.p50, save, minutes.p50 / 60, storage, rates.p50
        )
        recoveries.append(_recovery(name, minutes.p50, setups[name], mtti.p50, goal.seed))
    return Failures(
        mtti_hours=mtti,
        spares=spare_nodes(chosen.nodes),
        save_seconds=save,
        intervals=reliability.intervals(
            mtti.p50, save / 3600, reliability.RECOVERY_MINUTES[goal.recovery].p50 / 60
        ),
        recoveries=tuple(recoveries),
        remark=remark,
        setup=setups[goal.recovery],
    )


def failure_rates(plan: Plan) -> Quantiles:
    """Failures per node and day: of published fleets, narrowed by measured runs."""
    found = plan.narrowing.after("failures") if plan.narrowing is not None else None
    return found or reliability.FAILURES_PER_NODE_DAY


def _setup(
    nodes: int,
    days: float,
    mtti_hours: float,
    save_seconds: float,
    restart_hours: float,
    storage: StoragePlan | None,
    failures_per_node_day: float,
) -> SimulationSetup:
    load = storage.restart_seconds if storage else 0.0
    # One tier in the closed form; in the simulation NVMe is lost with its node.
    tiers = [simulate.Tier("lustre", load_seconds=load)]
    interval = reliability.intervals(mtti_hours, save_seconds / 3600, restart_hours).young_hours
    if storage is not None and storage.mode == "drained":
        drain = storage.checkpoint_bytes / 1e9 / storage.chosen.gbytes_per_s
        tiers = [
            simulate.Tier("nvme", survives=1 - simulate.NODE_LOSS_SHARE),
            simulate.Tier("lustre", drain_seconds=drain, load_seconds=load),
        ]
    return SimulationSetup(
        nodes=nodes,
        days=days,
        failures_per_node_day=failures_per_node_day,
        restart_seconds=restart_hours * 3600,
        save_seconds=save_seconds,
        interval_seconds=storage.interval_seconds if storage else 3600 * interval,
        tiers=tuple(tiers),
        spares=spare_nodes(nodes),
    )


def _recovery(
    name: str, minutes: float, setup: SimulationSetup, mtti_hours: float, seed: int
) -> Recovery:
    outcome = simulate.run(setup, runs=SIMULATED_RUNS, seed=seed)
    intervals = reliability.intervals(mtti_hours, setup.save_seconds / 3600, minutes / 60)
    return Recovery(
        name=name,
        minutes=minutes,
        closed_form=float(intervals.goodput_young),
        simulated=outcome.goodput,
        simulated_mean=outcome.mean,
        interruptions=outcome.interruptions,
        lost_hours=outcome.lost_hours,
    )
