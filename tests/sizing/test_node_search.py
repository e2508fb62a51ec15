"""The fewest nodes that finish in time."""

from __future__ import annotations

import pytest

from clusterwright.sizing.node_search import fewest


@pytest.mark.parametrize("least", range(33, 65))
def test_the_boundary_between_two_powers_of_two_is_found(least: int) -> None:
    assert fewest(lambda n: n >= 8 * least, 8 * 32, 8 * 64, 8) == 8 * least


def test_every_count_is_tried_once() -> None:
    tried: list[int] = []

    def in_time(count: int) -> bool:
        tried.append(count)
        return count >= 8 * 52

    fewest(in_time, 8 * 32, 8 * 64, 8)
    assert len(tried) == len(set(tried)) <= 12
    assert all(8 * 32 < count < 8 * 64 for count in tried)


def test_a_smaller_count_in_time_is_found_below_one_that_is_late() -> None:
    late = {56, 57, 58, 59}
    assert fewest(lambda n: n >= 55 and n not in late, 32, 64, 1) == 55


def test_without_a_slower_count_the_search_starts_at_one_unit() -> None:
    assert fewest(lambda _: True, 0, 8, 8) == 8
    assert fewest(lambda n: n >= 16, 0, 64, 8) == 16
