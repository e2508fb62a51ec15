"""Packs nodes into subnets: all addresses of a node must be in one subnet."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Placement:
    """The nodes that do not fit into any subnet, by addresses per node."""

    unplaced: dict[int, int]
    certain: bool
    """Whether no other order could place more nodes."""

    @property
    def nodes(self) -> int:
        return sum(self.unplaced.values())


def place(nodes: Iterable[tuple[int, int]], free: Sequence[int]) -> Placement:
    """Place nodes into subnets, those with the most addresses first.

    All addresses of a node are in one subnet: the remainders of two subnets do not add up.

    Parameters
    ----------
    nodes:
        Pairs of addresses per node and count.
    free:
        Free addresses of each subnet.
    """
    counts: dict[int, int] = {}
    for each, count in nodes:
        if each > 0 and count > 0:
            counts[each] = counts.get(each, 0) + count
    capacities, left = list(free), {}
    sizes = sorted(counts, reverse=True)
    for each in sizes:
        count = counts[each]
        for index, capacity in enumerate(capacities):
            fits = min(count, capacity // each)
            capacities[index] -= fits * each
            count -= fits
        if count:
            left[each] = count
    # Largest first is optimal if each size divides the next; otherwise the result is certain if
    # one size alone, or the total, exceeds the free addresses.
    divides = all(a % b == 0 for a, b in itertools.pairwise(sizes))
    alone = any(sum(capacity // each for capacity in free) < counts[each] for each in sizes)
    total = sum(each * count for each, count in counts.items()) > sum(free)
    return Placement(left, divides or alone or total)
