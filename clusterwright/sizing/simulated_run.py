"""One simulated run as a sequence of spans, for a chart."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.simulate import SimulationSetup

State = Literal["training", "restart", "waiting"]
EVENTS_MAX: Final = 20_000


@dataclass(frozen=True)
class Span:
    """A span in hours from the start; `lost_hours` is the work lost by the failure at its end."""

    state: State
    start_hour: float
    end_hour: float
    lost_hours: float = 0.0


@dataclass(frozen=True)
class SimulatedRun:
    """Contiguous spans from 0 to the end, failures and useful share."""

    spans: tuple[Span, ...]
    failures: int
    useful_share: float


def simulated_run(setup: SimulationSetup, *, seed: int = 0) -> SimulatedRun:
    """Simulate one run of `setup`, with the failures, tiers and spares of `simulate`.

    Raises
    ------
    GoalError
        Failures are so frequent that the run makes no progress.
    """
    rng = np.random.default_rng(seed)
    horizon = setup.days * 24.0
    rate = setup.nodes * (setup.failures_per_node_day + setup.spot_interruptions_per_node_day) / 24
    spans: list[Span] = []
    now, failures = 0.0, 0
    spares = setup.spares
    repairs: list[float] = []
    useful = 0.0
    while now < horizon:
        if failures > EVENTS_MAX:
            raise GoalError(
                "failures are more frequent than restarts", "fewer nodes, or faster recovery"
            )
        life = float(rng.exponential(1 / rate)) if rate > 0 else np.inf
        end = min(horizon, now + life)
        trained = (end - now) * _useful_share(setup)
        if end >= horizon:
            spans.append(Span("training", now, end))
            useful += trained
            break
        failures += 1
        kept, load_seconds = _kept_hours(setup, trained, rng)
        spans.append(Span("training", now, end, trained - kept))
        useful += kept
        now = end
        if rng.random() < setup.node_loss_share:
            heapq.heappush(repairs, now + float(rng.exponential(setup.replacement_seconds / 3600)))
            spares -= 1
        while repairs and repairs[0] <= now:
            heapq.heappop(repairs)
            spares += 1
        if spares < 0 and repairs:
            ready = min(horizon, heapq.heappop(repairs))
            spares += 1
            spans.append(Span("waiting", now, ready))
            now = ready
        back = min(horizon, now + (setup.restart_seconds + load_seconds) / 3600)
        spans.append(Span("restart", now, back))
        now = back
    return SimulatedRun(tuple(spans), failures, useful / horizon)


def _useful_share(setup: SimulationSetup) -> float:
    return setup.interval_seconds / (setup.interval_seconds + setup.save_seconds)


def _kept_hours(
    setup: SimulationSetup, trained: float, rng: np.random.Generator
) -> tuple[float, float]:
    """Hours of the span in the best surviving checkpoint, and the time to load it."""
    interval = setup.interval_seconds / 3600
    best, load = 0.0, setup.tiers[-1].load_seconds
    for tier in setup.tiers:
        if rng.random() >= tier.survives:
            continue
        step = interval * tier.every
        complete = max(0.0, trained - tier.drain_seconds / 3600)
        held = min(trained, complete // step * step)
        if held >= best:
            best, load = held, tier.load_seconds
    return best, load
