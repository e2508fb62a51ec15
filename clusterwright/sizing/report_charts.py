"""Data of the charts in a plan report: days and dollars, goodput by nodes, one run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clusterwright.sizing import offers, reliability
from clusterwright.sizing.plan_types import Candidate
from clusterwright.sizing.report_types import Charts, Failures, FrontPoint, GoodputPoint
from clusterwright.sizing.selection import PlanContext
from clusterwright.sizing.simulated_run import simulated_run

GOODPUT_NODES: Final = (1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)


def report_charts(context: PlanContext, failures: Failures) -> Charts:
    """The points of all charts."""
    points = []
    for candidate in context.sweep():
        if candidate.days is not None:
            priced, _ = offers.ranked(context.offers(candidate))
            usd = priced[0].usd.p50 if priced and priced[0].usd else None
            points.append((candidate, usd))
    return Charts(
        front=tuple(
            FrontPoint(
                candidate.hardware.name,
                candidate.nodes,
                candidate.accelerators,
                candidate.days.p50,
                usd,
                usd is not None and not _dominated(candidate.days.p50, usd, points),
            )
            for candidate, usd in points
            if candidate.days is not None
        ),
        goodput=tuple(_goodput(nodes, failures) for nodes in GOODPUT_NODES),
        run=simulated_run(failures.setup, seed=context.goal.seed),
    )


def _dominated(days: float, usd: float, points: Sequence[tuple[Candidate, float | None]]) -> bool:
    """Whether another cluster is no slower and no dearer, and better in one of the two."""
    return any(
        other.days is not None
        and cost is not None
        and other.days.p50 <= days
        and cost <= usd
        and (other.days.p50 < days or cost < usd)
        for other, cost in points
    )


def _goodput(nodes: int, failures: Failures) -> GoodputPoint:
    mtti = reliability.mtti_hours(float(nodes), reliability.FAILURES_PER_NODE_DAY.p50)
    save = failures.save_seconds / 3600
    return GoodputPoint(
        nodes,
        {
            name: float(reliability.intervals(mtti, save, minutes.p50 / 60).goodput_young)
            for name, minutes in reliability.RECOVERY_MINUTES.items()
        },
    )
