"""One simulated run, event by event: what the averages of `simulate` are made of, as a picture."""

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
    """Hours from the start; `lost_hours` is work that the failure at its end undid."""

    state: State
    start_hour: float
    end_hour: float
    lost_hours: float = 0.0


@dataclass(frozen=True)
class SimulatedRun:
    """Spans without gaps from 0 to the end, and what came of them."""

    spans: tuple[Span, ...]
    failures: int
    useful_share: float


def simulated_run(setup: SimulationSetup, *, seed: int = 0) -> SimulatedRun:
    """Play one run of `setup` with `simulate`'s rules: the same failures, tiers and spares.

    Raises
    ------
    GoalError
        Failures come so fast that nothing would be trained.
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
                "failures come faster than the run restarts", "fewer nodes, or faster recovery"
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
    """Hours of this span that the best surviving checkpoint holds, and how long it loads."""
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
