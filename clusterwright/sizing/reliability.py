"""Closed forms of failures, checkpoint intervals and goodput.

All functions accept floats or arrays. Times are in hours unless the name has another unit.

- failure rate per node-day: Kokolis et al. 2025, arXiv:2410.21680 (6.50e-3 and 2.34e-3); Llama 3,
  arXiv:2407.21783, table 5 (419 unexpected interruptions in 54 days on 2,048 nodes: 3.79e-3)
- Young 1974: sqrt(2 w M); Daly 2006: its higher-order estimate, and the expected wall time
- a tenth of the mean time: a common rule of thumb
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.plan_types import Quantiles

Value = TypeVar("Value", float, NDArray[np.float64])

FAILURES_PER_NODE_DAY: Final = Quantiles(2.3e-3, 3.8e-3, 6.5e-3)
FAILURES_SOURCE: Final = (
    "Kokolis et al. 2025, arXiv:2410.21680: 2.34e-3 and 6.50e-3; Llama 3, arXiv:2407.21783: "
    "419 unexpected interruptions / (2,048 nodes x 54 d) = 3.79e-3"
)
LARGE_JOB_FACTOR: Final = 2.0
"""Large jobs fail more often than the rate of small jobs predicts: Kokolis measured 7.9 h at 1,024
GPUs instead of 28.8 h. From 128 nodes the upper tail of the rate is wider by this factor."""

RECOVERY_MINUTES: Final = {
    "manual": Quantiles(30.0, 120.0, 480.0),
    "automatic": Quantiles(5.0, 12.0, 30.0),
    "checkpointless": Quantiles(0.7, 2.0, 6.0),
}
RECOVERY_SOURCE: Final = {
    "manual": "an operator is called: minutes by day, hours by night; OPT-175B logbook, 35 manual "
    "restarts",
    "automatic": "Kokolis et al. 2025: 5 to 20 minutes; a hang is detected after NCCL's timeout",
    "checkpointless": "AWS on HyperPod, December 2025: under 2 minutes, to about 2,000 GPUs; a "
    "figure of the vendor",
}
BLOCKING_SAVE_SECONDS: Final = Quantiles(5.0, 15.0, 60.0)


def mtti_hours(nodes: Value, failures_per_node_day: Value) -> Value:
    """Mean time to interruption: 24 / (nodes x rate)."""
    return 24.0 / (nodes * failures_per_node_day)


def young_hours(save_hours: Value, mtti: Value) -> Value:
    """Young's interval: sqrt(2 w M)."""
    return _sqrt(2 * save_hours * mtti)


def daly_hours(save_hours: float, mtti: float) -> float:
    """Daly's higher-order interval; M if a save takes longer than twice the mean time.

    sqrt(2 w M) (1 + 1/3 sqrt(w / 2M) + 1/9 (w / 2M)) - w  (Daly 2006, equation 37)
    """
    if save_hours >= 2 * mtti:
        return mtti
    x = save_hours / (2 * mtti)
    return math.sqrt(2 * save_hours * mtti) * (1 + math.sqrt(x) / 3 + x / 9) - save_hours


def tenth_hours(mtti: Value) -> Value:
    """Rule of thumb: a tenth of the mean time; Young's interval for a blocking save of M / 200."""
    return mtti / 10.0


def goodput(mtti: Value, restart_hours: Value, interval_hours: Value, save_hours: Value) -> Value:
    """Useful share of the time, including failures during saves and restarts (Daly 2006).

    t / (M e^(u/M) (e^((t + w)/M) - 1)); exponential failures, one tier, a spare always available.
    """
    cycle = interval_hours + save_hours
    return interval_hours / (mtti * _exp(restart_hours / mtti) * _expm1(cycle / mtti))


def spares_suggested(nodes: int, failures_per_node_day: float, replacement_days: float) -> int:
    """ceil(nodes x rate x replacement days x 3), at least 1."""
    return max(1, math.ceil(nodes * failures_per_node_day * replacement_days * 3))


@dataclass(frozen=True)
class Intervals:
    """Checkpoint intervals by rule, with their goodput."""

    mtti_hours: float
    young_hours: float
    daly_hours: float
    tenth_hours: float
    goodput_young: float
    goodput_daly: float
    goodput_tenth: float


def intervals(mtti: float, save_hours: float, restart_hours: float) -> Intervals:
    """Checkpoint intervals and goodput by three rules.

    Raises
    ------
    GoalError
        A time is not positive.
    """
    for name, value in (("mean time", mtti), ("save", save_hours), ("restart", restart_hours)):
        if not value > 0 or not math.isfinite(value):
            raise GoalError(f"{name} of {value} hours", "must be positive")
    rules = (young_hours(save_hours, mtti), daly_hours(save_hours, mtti), tenth_hours(mtti))
    young, daly, tenth = (max(rule, 1e-6) for rule in rules)
    return Intervals(
        mtti,
        young,
        daly,
        tenth,
        *(goodput(mtti, restart_hours, rule, save_hours) for rule in (young, daly, tenth)),
    )


def _sqrt(value: Value) -> Value:
    root: Value = np.sqrt(value)
    return root


def _exp(value: Value) -> Value:
    power: Value = np.exp(np.minimum(value, 700.0))
    return power


def _expm1(value: Value) -> Value:
    power: Value = np.expm1(np.minimum(value, 700.0))
    return power
