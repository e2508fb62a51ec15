"""Division of nodes by weights: whole nodes, with limits, deterministic."""

from __future__ import annotations

from collections.abc import Sequence


def apportion(
    total: int, weights: Sequence[int], limits: Sequence[int | None] | None = None
) -> list[int]:
    """`total` divided in proportion to `weights`, in whole parts (largest remainders first).

    Parameters
    ----------
    limits:
        Maximum of each, or None; the remainder is divided among the others by their weights.

    Returns
    -------
    One number for each weight; their sum is `total`, or less if every limit is reached.
    """
    bounds = list(limits) if limits is not None else [None] * len(weights)
    shares = [0] * len(weights)
    open_ = [index for index, weight in enumerate(weights) if weight > 0]
    left = max(0, total)
    while open_ and left > 0:
        parts = _largest_remainders(left, [weights[index] for index in open_])
        full = [
            index
            for index, part in zip(open_, parts, strict=True)
            if (bound := bounds[index]) is not None and part >= bound
        ]
        if not full:
            for index, part in zip(open_, parts, strict=True):
                shares[index] = part
            return shares
        for index in full:
            shares[index] = bounds[index] or 0
            left -= shares[index]
            open_.remove(index)
    return shares


def _largest_remainders(total: int, weights: Sequence[int]) -> list[int]:
    whole = sum(weights)
    parts = [total * weight // whole for weight in weights]
    by_remainder = sorted(
        range(len(weights)), key=lambda index: (-(total * weights[index] % whole), index)
    )
    for index in by_remainder[: total - sum(parts)]:
        parts[index] += 1
    return parts
