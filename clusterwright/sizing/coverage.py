"""How often the planner's interval holds, on published training runs that it was not fitted to.

`data/public_runs.json` has the runs, each with its source. Nothing else reads that file: constants
are fitted to throughput benchmarks only. The spreads of `uncertainty.STACKS` were chosen with the
runs of the group `development`; the group `held-out` was not used to choose a value. It is not
blind: the errors of the planner before that choice were known for both groups.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

from clusterwright.catalog import Catalog
from clusterwright.sizing.estimate import plan
from clusterwright.sizing.goal import Goal, parse
from clusterwright.sizing.plan_types import Quantiles, StackName

_FILE: Final = files("clusterwright.sizing").joinpath("data/public_runs.json")
DEVELOPMENT: Final = "development"
HELD_OUT: Final = "held-out"


@dataclass(frozen=True)
class PublicRun:
    """A published run.

    Attributes
    ----------
    kind:
        dense, moe, small (dense below 4B parameters), very large (dense from 100B parameters and
        thousands of accelerators on) or continued.
    stack:
        As `--stack`, judged from the published description.
    accelerators:
        `None` where no source states them; the planner then chooses.
    accelerator_hours:
        As published.
    """

    name: str
    kind: str
    stack: StackName
    group: str
    accelerator: str
    accelerators: int | None
    tokens: float
    accelerator_hours: float
    goal: dict[str, Any]
    source: str

    def parsed(self, *, with_stack: bool) -> Goal:
        """The goal of the run, with or without its stack."""
        cluster = {"accelerator": self.accelerator, "accelerators": self.accelerators}
        stack = self.stack if with_stack else None
        return parse({**self.goal, "tokens": self.tokens, "cluster": cluster, "stack": stack})


@dataclass(frozen=True)
class Comparison:
    """A run beside its plan, in accelerator-hours."""

    run: PublicRun
    planned: Quantiles

    @property
    def ratio(self) -> float:
        """Published over planned at P50: above 1 the plan was too optimistic."""
        return self.run.accelerator_hours / self.planned.p50

    @property
    def within(self) -> bool:
        """Whether the published hours are between P10 and P90."""
        return self.planned.p10 <= self.run.accelerator_hours <= self.planned.p90


@dataclass(frozen=True)
class Coverage:
    """Coverage of the 80 % interval and error of the median over several runs."""

    runs: int
    within: int
    median_error: float
    bias: float
    """Median of published over planned."""

    @property
    def share(self) -> float:
        """Share of the runs between P10 and P90."""
        return self.within / self.runs


def public_runs() -> tuple[PublicRun, ...]:
    """Every run of `data/public_runs.json`."""
    rows = json.loads(_FILE.read_text("utf-8"))["runs"]
    return tuple(PublicRun(**row) for row in rows)


def compare(catalog: Catalog, *, with_stack: bool = False) -> tuple[Comparison, ...]:
    """Every run beside its plan; with its stack, or as if that were unknown."""
    return tuple(
        Comparison(
            run, plan(run.parsed(with_stack=with_stack), catalog).estimate.accelerator_hours
        )
        for run in public_runs()
    )


def coverage(found: Iterable[Comparison]) -> Coverage:
    """Coverage and errors of at least one comparison."""
    rows = list(found)
    return Coverage(
        runs=len(rows),
        within=sum(row.within for row in rows),
        median_error=statistics.median(abs(row.ratio - 1) for row in rows),
        bias=math.exp(statistics.median(math.log(row.ratio) for row in rows)),
    )


def by_kind(found: Iterable[Comparison]) -> dict[str, Coverage]:
    """Coverage by kind of run, in the order of the data."""
    rows = list(found)
    kinds = dict.fromkeys(row.run.kind for row in rows)
    return {kind: coverage(row for row in rows if row.run.kind == kind) for kind in kinds}
