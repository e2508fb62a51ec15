"""Discrete-event simulation of runs: failures, recoveries, spares, checkpoints in tiers.

All runs advance together, one failure of each at a time, so that a thousand runs of 90 days on
2,048 nodes take a few hundred array operations. Where the assumptions of the closed form hold (one
tier, a spare always available) the means agree (`tests/sizing/test_simulate.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.layouts import Floats
from clusterwright.sizing.plan_types import Quantiles
from clusterwright.sizing.reliability import goodput, mtti_hours

SECONDS_PER_DAY: Final = 86_400.0
NODES_MAX: Final = 200_000
EVENTS_MAX: Final = 200_000
"""Runs with more failures make no progress, and are refused."""


NODE_LOSS_SHARE: Final = 0.78
"""Of interruptions: Llama 3, 78 % were hardware (arXiv:2407.21783, section 3.3.4)."""
REPLACEMENT_HOURS: Final = 6.0
"""Time until a failed node is replaced; assumed."""


@dataclass(frozen=True)
class Tier:
    """A tier of checkpoint storage.

    Attributes
    ----------
    every:
        Number of intervals between saves to this tier.
    drain_seconds:
        From the end of the blocking save until the copy is complete; after a failure before that,
        the previous copy is used.
    load_seconds:
        To read it back when training restarts.
    survives:
        Share of failures after which it can be read: local NVMe is lost with its node unless a
        neighbour has a copy; Lustre and S3 remain.
    """

    name: str
    every: int = 1
    drain_seconds: float = 0.0
    load_seconds: float = 0.0
    survives: float = 1.0


@dataclass(frozen=True)
class SimulationSetup:
    """Parameters of the simulation; times in seconds.

    Attributes
    ----------
    failures_per_node_day:
        Every interruption, of nodes and of software; spot interruptions are added to it.
    node_loss_share:
        Share of failures in which the node is lost, so that a spare or a replacement is needed.
    spares, replacement_seconds:
        Nodes kept out of the job, and the mean time until a broken one is replaced.
    restart_seconds, save_seconds, interval_seconds:
        Detection and restart; blocking per checkpoint; training between two checkpoints.
    """

    nodes: int
    days: float
    failures_per_node_day: float
    restart_seconds: float
    save_seconds: float
    interval_seconds: float
    tiers: tuple[Tier, ...] = (Tier("lustre"),)
    node_loss_share: float = NODE_LOSS_SHARE
    spares: int = 1
    replacement_seconds: float = REPLACEMENT_HOURS * 3600
    spot_interruptions_per_node_day: float = 0.0


@dataclass(frozen=True)
class SimulationOutcome:
    """Goodput, interruptions and mean hours lost by cause, over all runs.

    `closed_form` is Daly's goodput for the same numbers; `difference` is the mean minus it, and
    `agrees` whether it is within 2 percentage points.
    """

    goodput: Quantiles
    mean: float
    interruptions: Quantiles
    lost_hours: dict[str, float]
    closed_form: float
    runs: int

    @property
    def difference(self) -> float:
        """Simulated mean minus the closed form."""
        return self.mean - self.closed_form

    @property
    def agrees(self) -> bool:
        """Whether the difference is at most 2 percentage points."""
        return abs(self.difference) <= 0.02


def run(setup: SimulationSetup, *, runs: int = 1000, seed: int = 0) -> SimulationOutcome:
    """Simulate independent runs.

    Raises
    ------
    GoalError
        A parameter is invalid, or failures are so frequent that no run makes progress.
    """
    _check(setup, runs)
    rng = np.random.default_rng(seed)
    horizon = setup.days * SECONDS_PER_DAY
    per_node = setup.failures_per_node_day + setup.spot_interruptions_per_node_day
    mean_life = SECONDS_PER_DAY / (setup.nodes * per_node) if per_node > 0 else np.inf
    state = _State.new(runs, setup.spares)
    while True:
        alive = state.clock < horizon
        if not alive.any():
            break
        if state.failures.max() > EVENTS_MAX:
            raise GoalError(
                "failures are more frequent than restarts", "fewer nodes, or faster recovery"
            )
        life = (
            rng.exponential(mean_life, runs) if np.isfinite(mean_life) else np.full(runs, np.inf)
        )
        _advance(state, setup, life, horizon, alive, rng)
    useful = state.done / horizon
    lost = {
        "restart": state.restarting,
        "lost work": state.lost,
        "saving": state.saving,
        "waiting for a node": state.waiting,
    }
    closed = 1.0
    if per_node > 0:
        closed = goodput(
            mtti_hours(float(setup.nodes), per_node),
            (setup.restart_seconds + setup.tiers[0].load_seconds) / 3600,
            setup.interval_seconds / 3600,
            setup.save_seconds / 3600,
        )
    return SimulationOutcome(
        goodput=_quantiles(useful),
        mean=float(useful.mean()),
        interruptions=_quantiles(state.failures),
        lost_hours={name: float(values.mean()) / 3600 for name, values in lost.items()},
        closed_form=float(closed),
        runs=runs,
    )


@dataclass
class _State:
    """Clock and sums of every run in seconds; `pending` is the time of the coming recovery."""

    clock: Floats
    pending: Floats
    done: Floats
    lost: Floats
    saving: Floats
    restarting: Floats
    waiting: Floats
    failures: Floats
    returns: Floats
    """Time at which each spare slot has a node again (runs x slots)."""

    @classmethod
    def new(cls, runs: int, spares: int) -> _State:
        def zero() -> Floats:
            return np.zeros(runs)

        return cls(
            clock=zero(),
            pending=zero(),
            done=zero(),
            lost=zero(),
            saving=zero(),
            restarting=zero(),
            waiting=zero(),
            failures=zero(),
            returns=np.zeros((runs, spares + 1)),
        )


def _advance(
    state: _State,
    setup: SimulationSetup,
    life: Floats,
    horizon: float,
    alive: np.ndarray[tuple[int], np.dtype[np.bool_]],
    rng: np.random.Generator,
) -> None:
    """Advance every active run by one failure: recover, train, lose unsaved work."""
    runs = len(life)
    left = np.maximum(horizon - state.clock, 0.0)
    span = np.minimum(life, left)
    recovering = np.minimum(span, state.pending)
    training = np.where(alive, span - recovering, 0.0)
    state.restarting += np.where(alive, recovering, 0.0)
    cycle = setup.interval_seconds + setup.save_seconds
    cycles = np.floor(training / cycle)
    rest = training - cycles * cycle
    begun = np.minimum(rest, setup.interval_seconds)
    work = cycles * setup.interval_seconds + begun
    state.saving += cycles * setup.save_seconds + (rest - begun)
    failed = alive & (life < left)
    lost_node = rng.random(runs) < setup.node_loss_share
    reached = state.done + work
    first = np.round(state.done / setup.interval_seconds)
    saved, load = _saved(setup, first + cycles, rest, lost_node, rng)
    state.done = np.where(failed, np.minimum(saved, reached), reached)
    state.lost += reached - state.done
    state.clock += np.where(alive, span, 0.0)
    state.failures += failed
    wait = _wait(state, setup, failed & lost_node, rng)
    state.waiting += np.minimum(wait, np.maximum(horizon - state.clock, 0.0))
    # No failures while a job waits for a node: it has no state to lose.
    state.clock += wait
    again = setup.restart_seconds + load
    # A failure during recovery restarts it; otherwise the pending recovery is complete.
    state.pending = np.where(failed, again, np.maximum(state.pending - span, 0.0))


def _saved(
    setup: SimulationSetup,
    saves: Floats,
    rest: Floats,
    lost_node: np.ndarray[tuple[int], np.dtype[np.bool_]],
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Work in the newest readable checkpoint, and the time to load it.

    `saves` counts intervals since the beginning of the run, so a tier that is written rarely may
    hold less than what was restored before: then a failure costs more than one stretch.
    """
    cycle = setup.interval_seconds + setup.save_seconds
    work = np.zeros_like(saves)
    load = np.full_like(saves, setup.tiers[-1].load_seconds)
    decided = np.zeros(len(saves), dtype=bool)
    for tier in setup.tiers:
        newest = np.floor(saves / tier.every)
        age = (saves - newest * tier.every) * cycle + rest
        behind = np.ceil(np.maximum(tier.drain_seconds - age, 0.0) / (tier.every * cycle))
        newest = np.maximum(newest - behind, 0.0)
        usable = ~lost_node | (rng.random(len(saves)) < tier.survives)
        take = usable & ~decided
        work = np.where(take, newest * tier.every * setup.interval_seconds, work)
        load = np.where(take, tier.load_seconds, load)
        decided |= take
    return work, load


def _wait(
    state: _State,
    setup: SimulationSetup,
    needs: np.ndarray[tuple[int], np.dtype[np.bool_]],
    rng: np.random.Generator,
) -> Floats:
    """Wait for a node: none with a spare, else until the first replacement."""
    repair = rng.exponential(setup.replacement_seconds, len(needs))
    state.returns[:, -1] = np.where(needs, state.clock + repair, np.inf)
    first = state.returns.argmin(axis=1)
    rows = np.arange(len(needs))
    ready = state.returns[rows, first]
    wait = np.where(needs, np.maximum(ready - state.clock, 0.0), 0.0)
    # The slot of the used spare gets the node under repair.
    swapped = needs & (first != state.returns.shape[1] - 1)
    state.returns[rows[swapped], first[swapped]] = state.returns[swapped, -1]
    return np.where(np.isfinite(wait), wait, 0.0)


def _check(setup: SimulationSetup, runs: int) -> None:
    if not 1 <= setup.nodes <= NODES_MAX:
        raise GoalError(f"{setup.nodes} nodes", f"1 to {NODES_MAX:,}", field="nodes")
    if not 1 <= runs <= 10**6:
        raise GoalError(f"{runs} runs", "1 to 1,000,000")
    if not setup.tiers:
        raise GoalError("a run without checkpoints", "name at least one tier")
    positive = {
        "days": setup.days,
        "interval_seconds": setup.interval_seconds,
        "replacement_seconds": setup.replacement_seconds,
    }
    others = {
        "failures_per_node_day": setup.failures_per_node_day,
        "restart_seconds": setup.restart_seconds,
        "save_seconds": setup.save_seconds,
        "spot_interruptions_per_node_day": setup.spot_interruptions_per_node_day,
    }
    for name, value in positive.items():
        if not (np.isfinite(value) and value > 0):
            raise GoalError(f"{name} is {value}", "a positive number", field=name)
    for name, value in others.items():
        if not (np.isfinite(value) and value >= 0):
            raise GoalError(f"{name} is {value}", "0 or more", field=name)
    if not 0 <= setup.node_loss_share <= 1:
        raise GoalError(f"node_loss_share is {setup.node_loss_share}", "between 0 and 1")


def _quantiles(values: Floats) -> Quantiles:
    p10, p50, p90 = (float(q) for q in np.quantile(values, (0.1, 0.5, 0.9)))
    return Quantiles(p10, p50, p90)
