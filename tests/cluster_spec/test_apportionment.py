"""Nodes are divided by weights, in whole nodes, within the limits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.cluster_spec.apportionment import apportion


@pytest.mark.parametrize(
    ("total", "weights", "limits", "shares"),
    [
        (8, [3, 1, 1], None, [5, 2, 1]),
        (8, [1, 1], None, [4, 4]),
        (1, [1, 1], None, [1, 0]),
        (0, [1, 1], None, [0, 0]),
        (8, [], None, []),
        (8, [3, 1], [2, None], [2, 6]),
        (8, [3, 1], [2, 3], [2, 3]),
        (8, [65_533, 1], None, [8, 0]),
        (-1, [1], None, [0]),
    ],
)
def test_shares(
    total: int, weights: list[int], limits: list[int | None] | None, shares: list[int]
) -> None:
    assert apportion(total, weights, limits) == shares


@given(
    st.integers(0, 10_000),
    st.lists(
        st.tuples(st.integers(1, 65_533), st.none() | st.integers(1, 6758)), min_size=1, max_size=8
    ),
)
def test_shares_add_up_within_limits(total: int, tenants: list[tuple[int, int | None]]) -> None:
    weights, limits = [w for w, _ in tenants], [limit for _, limit in tenants]
    shares = apportion(total, weights, limits)
    assert all(share <= limit for share, limit in zip(shares, limits, strict=True) if limit)
    full = all(limit is not None and s == limit for s, limit in zip(shares, limits, strict=True))
    assert sum(shares) == total or (full and sum(shares) < total)
    assert apportion(total, weights, limits) == shares
    for (one, a), (other, b) in [
        (x, y)
        for x in zip(weights, shares, strict=True)
        for y in zip(weights, shares, strict=True)
    ]:
        # A higher weight never gets less, except for limits and the last whole node.
        if limits == [None] * len(limits) and one > other:
            assert a >= b - 1
