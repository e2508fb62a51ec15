"""The fewest nodes that finish in time, between two counts that were tried."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

NEAR: Final = 0.9
"""A layout may leave up to a tenth of the accelerators idle, so that a count a little below
another one can be as fast; counts from this share of the result on are tried too."""
NEAR_TRIED_MAX: Final = 8


def fewest(in_time: Callable[[int], bool], too_few: int, enough: int, unit: int) -> int:
    """The smallest multiple of `unit` above `too_few` that finishes in time.

    Bisection, because more accelerators are faster; then the counts just below the result, because
    this is not so for every count.

    Parameters
    ----------
    in_time:
        Whether a number of accelerators finishes in time; called once per count.
    too_few:
        Accelerators that are too slow, or on which the model does not fit; 0 if none was tried.
    enough:
        Accelerators that finish in time.
    unit:
        Accelerators of a node, or of a whole UltraServer.
    """
    low, high = too_few // unit, enough // unit
    late = set()
    while high - low > 1:
        middle = (low + high) // 2
        if in_time(middle * unit):
            high = middle
        else:
            low = middle
            late.add(middle)
    first = max(too_few // unit + 1, int(high * NEAR), high - NEAR_TRIED_MAX)
    for nodes in range(first, low):
        if nodes not in late and in_time(nodes * unit):
            return nodes * unit
    return high * unit
