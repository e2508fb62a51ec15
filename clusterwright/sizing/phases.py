"""A ramp: a small cluster first, a larger one when it has been earned, with dates and quotas.

Nothing that costs a large cluster's rate should be learnt on it: scripts, data and convergence are
proved on a few nodes, scaling on some more. Quotas are asked for in the same steps, as AWS grants
large increases after small ones are used.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clusterwright.sizing.errors import GoalError

DEFAULT_STEPS: Final = (8, 64)
"""Nodes of the phases before the full cluster (the founding documents' ramp: 8, 64, 512)."""
PURPOSES: Final = (
    "prove scripts, data loading, checkpoints and restarts",
    "prove scaling, the layout and a few thousand steps of convergence",
    "the run",
)
SHARE_OF_RUN: Final = (0.02, 0.05)
"""Assumed, of the run's node-hours: what the phases before it use. llm runs lose 5 to 20 % to
tuning and bad starts; the estimate of the run holds the rest."""
LEAST_DAYS: Final = (7, 7)

LAST_YEAR: Final = 2199
"""A later day is a slip; and dates end with the year 9999."""


@dataclass(frozen=True)
class Phase:
    """One step of the ramp.

    Attributes
    ----------
    quota_instances:
        What the quota must be on `starts`.
    usd:
        Compute alone; `None` where the rate is unknown.
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
    """Phases up to `nodes`; steps that are not smaller than it are left out.

    Parameters
    ----------
    days:
        Of the run itself, the last phase.
    steps:
        Nodes of the earlier phases, rising.

    Raises
    ------
    GoalError
        Steps that do not rise, or are no numbers of nodes.
    """
    if nodes < 1 or not 0 < days < 36_500:
        raise GoalError(
            f"a run of {nodes} nodes for {days:,.0f} days has no ramp",
            "more nodes or fewer tokens, so that the run ends within a century",
            field="phases",
        )
    if any(step < 1 for step in steps) or list(steps) != sorted(set(steps)):
        raise GoalError(
            f"phases of {', '.join(map(str, steps))} nodes", "rising, such as 8,64", field="phases"
        )
    if starts.year > LAST_YEAR:
        raise GoalError(
            f"phases that start on {starts}", "a day nearer, such as 2027-01-31", field="starts"
        )
    earlier = [step for step in steps if step < nodes]
    phases = []
    at = starts
    run_node_days = nodes * days
    for index, step in enumerate(earlier):
        place = min(index, len(SHARE_OF_RUN) - 1)
        length = max(LEAST_DAYS[place], math.ceil(SHARE_OF_RUN[place] * run_node_days / step))
        # A month at most: what is not proved by then is not proved by waiting.
        length = min(length, 30)
        phases.append(
            _phase(f"phase {index + 1}", step, at, length, usd_per_node_hour, PURPOSES[place])
        )
        at = phases[-1].ends
    phases.append(_phase("run", nodes, at, math.ceil(days), usd_per_node_hour, PURPOSES[-1]))
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
