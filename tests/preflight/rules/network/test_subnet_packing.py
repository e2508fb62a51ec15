"""Tests of the subnet packing."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from clusterwright.preflight.rules.network.subnet_packing import place


@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(1, 3)), min_size=1, max_size=3),
    st.lists(st.integers(0, 7), min_size=1, max_size=3),
)
def test_packing_is_conservative_and_exact_where_certain(
    wanted: list[tuple[int, int]], rooms: list[int]
) -> None:
    found = place(wanted, rooms)
    nodes = [each for each, count in wanted for _ in range(count)]
    fits = any(
        all(
            sum(n for n, where in zip(nodes, places, strict=True) if where == room) <= rooms[room]
            for room in range(len(rooms))
        )
        for places in product(range(len(rooms)), repeat=len(nodes))
    )
    if not found.nodes:
        assert fits
    elif found.certain:
        assert not fits
