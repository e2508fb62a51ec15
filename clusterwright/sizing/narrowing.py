"""Narrow a distribution by measured values: closed forms, without I/O and without randomness.

Every distribution is log-normal with separate widths below and above its median. A measured value
has a normal error in its logarithm, so that the narrowed median is the mean of both, weighted by
precision, and each side's variance is 1 / (1/prior + 1/error). Hence

- more measured runs of the same value give a narrower interval;
- a value within the old P10 to P90 is within the new one;
- a value outside it contradicts the plan: then the old distribution is first widened until its
  P10 or P90 is the measured value (as Birge's ratio widens contradicting results), so that the
  new interval contains it, too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np

from clusterwright.sizing.calibration import NOISE
from clusterwright.sizing.layouts import Floats
from clusterwright.sizing.plan_types import Quantiles

Z90: Final = NormalDist().inv_cdf(0.9)
RUN_NOISE: Final = NOISE
"""Standard deviation of the logarithm of one measured run: that of one benchmark of the fit."""
_SMALLEST: Final = 1e-9
_GRID: Final = 4001
_GRID_WIDTH: Final = 8.0


@dataclass(frozen=True)
class Observed:
    """A measured quantity.

    Attributes
    ----------
    value:
        Measured, positive.
    error:
        Standard deviation of its logarithm.
    before:
        Interval of the same quantity by the plan.
    correlation:
        Of its logarithm with that of the quantity to narrow; 1 if it is the same quantity.
    """

    value: float
    error: float
    before: Quantiles
    correlation: float = 1.0


def run_error(runs: int) -> float:
    """Standard deviation of the logarithm of the mean of some runs."""
    return RUN_NOISE / math.sqrt(runs)


def repeated_error(before: Quantiles, count: int, runs: int) -> float:
    """The same for values that vary within a run, such as restarts.

    One value is taken to vary as much as the published interval is wide; the mean of a run has the
    error of a run besides.
    """
    spread = max(_sides(before))
    return math.hypot(spread / math.sqrt(count), run_error(runs))


def narrowed(before: Quantiles, seen: Observed) -> Quantiles:
    """The distribution after a measurement of it, or of a quantity that it is correlated with.

    Parameters
    ----------
    before:
        P10, P50, P90; positive.
    """
    sides, own = _sides(before), _sides(seen.before)
    away = math.log(seen.value / seen.before.p50)
    side = own[away > 0]
    if side < _SMALLEST:
        # No width on this side: the widened interval ends at the measured value.
        own = (abs(away) / Z90, abs(away) / Z90)
        sides = own if seen.before == before else sides
        side = max(own[0], _SMALLEST)
    deviates = away / side
    spread = max(1.0, abs(deviates) / Z90)
    gains, factors = [], []
    for width in own:
        error = (seen.error / max(width, _SMALLEST)) ** 2
        weight = spread**2 / (spread**2 + error)
        gains.append(seen.correlation * weight * deviates)
        factors.append(spread * math.sqrt(max(0.0, 1.0 - seen.correlation**2 * weight)))
    gain = gains[away > 0]
    middle = math.log(before.p50) + gain * sides[gain > 0]
    return Quantiles(
        math.exp(middle - Z90 * sides[0] * factors[0]),
        math.exp(middle),
        math.exp(middle + Z90 * sides[1] * factors[1]),
    )


def failures(before: Quantiles, count: int, node_days: float) -> Quantiles:
    """Failures per node and day after `count` of them in a time (Poisson, on a grid).

    Parameters
    ----------
    before:
        Failures per node and day.
    count:
        Failures; 0 is a measurement, too.
    node_days:
        Nodes by days; positive.
    """
    low, high = (max(side, _SMALLEST) for side in _sides(before))
    z = np.linspace(-_GRID_WIDTH, _GRID_WIDTH, _GRID)
    log_rate = math.log(before.p50) + z * np.where(z < 0.0, low, high)
    # The weight of a grid point has the widths of both sides in it: the spacing in z is equal.
    log_weight = -0.5 * z**2 + count * log_rate - node_days * np.exp(log_rate)
    weight = np.exp(log_weight - log_weight.max())
    cumulated = np.cumsum(weight) - 0.5 * weight
    p10, p50, p90 = np.exp(np.interp([0.1, 0.5, 0.9], cumulated / weight.sum(), log_rate))
    return Quantiles(float(p10), float(p50), float(p90))


def correlation(first: Floats, second: Floats) -> float:
    """Of the logarithms of two positive arrays; 1 where one of them is constant."""
    a, b = np.log(first), np.log(second)
    a, b = a - a.mean(), b - b.mean()
    norm = float(np.sqrt((a @ a) * (b @ b)))
    return 1.0 if norm == 0.0 else min(1.0, max(-1.0, float(a @ b) / norm))


def _sides(quantiles: Quantiles) -> tuple[float, float]:
    """Standard deviations of the logarithm below and above the median."""
    low = math.log(quantiles.p50 / quantiles.p10) / Z90
    return low, math.log(quantiles.p90 / quantiles.p50) / Z90
