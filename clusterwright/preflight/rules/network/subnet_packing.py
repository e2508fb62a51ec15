"""Whether nodes find a subnet that has room for all of their addresses."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Placing:
    """What is left to place when every subnet is full: nodes by addresses per node."""

    unplaced: dict[int, int]
    certain: bool
    """Whether no other order would place more."""

    @property
    def nodes(self) -> int:
        return sum(self.unplaced.values())


def place(nodes: Iterable[tuple[int, int]], free: Sequence[int]) -> Placing:
    """Put nodes into subnets, those with most addresses first.

    All addresses of a node are in one subnet, so that what two subnets have left does not add up.

    Parameters
    ----------
    nodes:
        Pairs of addresses per node and count.
    free:
        Free addresses of each subnet.
    """
    wanted: dict[int, int] = {}
    for each, count in nodes:
        if each > 0 and count > 0:
            wanted[each] = wanted.get(each, 0) + count
    rooms, left = list(free), {}
    sizes = sorted(wanted, reverse=True)
    for each in sizes:
        count = wanted[each]
        for index, room in enumerate(rooms):
            fits = min(count, room // each)
            rooms[index] -= fits * each
            count -= fits
        if count:
            left[each] = count
    # Largest first is best where each size divides the next; beyond that no subnet takes more of
    # a size than by itself, nor all of them together more than there is.
    divides = all(a % b == 0 for a, b in itertools.pairwise(sizes))
    alone = any(sum(room // each for room in free) < wanted[each] for each in sizes)
    total = sum(each * count for each, count in wanted.items()) > sum(free)
    return Placing(left, divides or alone or total)
