"""Levels of training that a budget affords, from fine-tuning to a new architecture.

Fine-tuning changes behaviour, continued pre-training adds knowledge with 10 to 20 % of the tokens
of a run from scratch, a run from scratch learns everything, and a new architecture needs trials.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from clusterwright.sizing.errors import GoalError


@dataclass(frozen=True)
class TrainingLevel:
    """A level with its least and most work, relative to a run from scratch."""

    name: str
    least: float
    most: float
    basis: str


LEVELS: Final = (
    TrainingLevel("fine-tune", 1e-4, 1e-3, "assumed: a thousandth of the tokens at most"),
    TrainingLevel("continued pre-training", 0.10, 0.20, "assumed: 10 to 20 % of the tokens"),
    TrainingLevel("from scratch", 1.0, 1.0, "the run itself"),
    TrainingLevel("new architecture", 2.0, 3.0, "assumed: one or two more runs' worth of trials"),
)


@dataclass(frozen=True)
class Affordability:
    """A level with its cost, and whether the budget covers it."""

    level: TrainingLevel
    usd_least: float
    usd_most: float
    reached: str
    """`yes`, `in part` (the least, not the most) or `no`."""


def affordable_levels(budget_usd: float, scratch_usd: float) -> tuple[Affordability, ...]:
    """Every level compared with a budget, from the P50 dollars of the run from scratch.

    Raises
    ------
    GoalError
        An amount is not positive.
    """
    for name, value in (("budget", budget_usd), ("cost of the run", scratch_usd)):
        if not value > 0:
            raise GoalError(f"the {name} is {value:g}", "a positive amount", field="budget_usd")
    found = []
    for level in LEVELS:
        least, most = level.least * scratch_usd, level.most * scratch_usd
        reached = "yes" if budget_usd >= most else "in part" if budget_usd >= least else "no"
        found.append(Affordability(level, least, most, reached))
    return tuple(found)
