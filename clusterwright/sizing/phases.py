"""A ramp of clusters, from small to full size, with dates and quotas.

Scripts, data and convergence are proved on a few nodes, scaling on some more, before the full
cluster is paid for. Quotas are requested in the same steps, because AWS grants large increases
after small ones are used.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clusterwright.sizing.errors import GoalError

DEFAULT_STEPS: Final = (8, 64)
"""Nodes of the phases before the full cluster."""
PURPOSES: Final = (
    "prove scripts, data loading, checkpoints and restarts",
    "prove scaling, the layout and a few thousand steps of convergence",
    "the run",
)
SHARE_OF_RUN: Final = (0.02, 0.05)
"""Node-hours of the phases before the run, relative to the run; assumed. Runs lose 5 to 20 % to
tuning and failed starts; the estimate of the run includes the rest."""
MINIMUM_DAYS: Final = (7, 7)

LAST_YEAR: Final = 2199
"""A later year is a mistake; Python's dates end with the year 9999."""


@dataclass(frozen=True)
class Phase:
    """One phase of the ramp.

    Attributes
    ----------
    quota_instances:
        Required quota on `starts`.
    usd:
        Compute only; `None` if the rate is unknown.
    """

    name: str
    nodes: int
    starts: dt.date
    ends: dt.date
    quota_instances: int
    usd: float | None
    purpose: str

    @property
    def days(self) -> int:
        return (self.ends - self.starts).days


def ramp(
    nodes: int,
    days: float,
    starts: dt.date,
    *,
    usd_per_node_hour: float | None,
    steps: Sequence[int] = DEFAULT_STEPS,
) -> tuple[Phase, ...]:
    """Phases up to `nodes`; only steps below `nodes` are used.

    Parameters
    ----------
    days:
        Of the run itself, the last phase.
    steps:
        Nodes of the earlier phases, in increasing order.

    Raises
    ------
    GoalError
        Steps that do not increase or are not positive, or a run longer than a century.
    """
    if nodes < 1 or not 0 < days < 36_500:
        raise GoalError(
            f"a run of {nodes} nodes for {days:,.0f} days has no ramp",
            "use more nodes or fewer tokens: the run must end within a century",
            field="phases",
        )
    if any(step < 1 for step in steps) or list(steps) != sorted(set(steps)):
        raise GoalError(
            f"phases of {', '.join(map(str, steps))} nodes",
            "must increase, such as 8,64",
            field="phases",
        )
    if starts.year > LAST_YEAR:
        raise GoalError(
            f"phases that start on {starts}",
            "use an earlier date, such as 2027-01-31",
            field="starts",
        )
    earlier = [step for step in steps if step < nodes]
    phases = []
    start = starts
    run_node_days = nodes * days
    for index, step in enumerate(earlier):
        position = min(index, len(SHARE_OF_RUN) - 1)
        length = max(
            MINIMUM_DAYS[position], math.ceil(SHARE_OF_RUN[position] * run_node_days / step)
        )
        # At most a month: a longer phase proves nothing more.
        length = min(length, 30)
        phases.append(
            _phase(
                f"phase {index + 1}", step, start, length, usd_per_node_hour, PURPOSES[position]
            )
        )
        start = phases[-1].ends
    phases.append(_phase("run", nodes, start, math.ceil(days), usd_per_node_hour, PURPOSES[-1]))
    return tuple(phases)


def _phase(
    name: str, nodes: int, starts: dt.date, days: int, usd: float | None, purpose: str
) -> Phase:
    return Phase(
        name=name,
        nodes=nodes,
        starts=starts,
        ends=starts + dt.timedelta(days=days),
        quota_instances=nodes,
        usd=nodes * days * 24 * usd if usd is not None else None,
        purpose=purpose,
    )
