"""Whole blocks and plans for a run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.catalog import load_catalog
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.purchases import Advance, cover

CATALOG = load_catalog()


def test_durations_are_whole_weeks_after_14_days() -> None:
    assert cover(8, 13.2, "capacity-block", CATALOG).purchases[0].days == 14
    assert cover(8, 15, "capacity-block", CATALOG).purchases[0].days == 21
    assert cover(8, 15, "training-plan", CATALOG).purchases[0].days == 15


def test_unusual_size_is_split_into_powers_of_two() -> None:
    bought = cover(100, 30, "training-plan", CATALOG)
    assert [(one.instances, one.count) for one in bought.purchases] == [(64, 1), (32, 1), (4, 1)]
    assert bought.idle_instance_days == 0
    assert any("at most two" in text for text in bought.cautions)


def test_a_long_run_uses_consecutive_blocks() -> None:
    bought = cover(64, 200, "capacity-block", CATALOG)
    assert [one.days for one in bought.purchases] == [182, 21]
    assert bought.handovers == (182,)
    assert bought.idle_instance_days == pytest.approx(64 * 3)
    assert any("56 days in advance" in text for text in bought.cautions)


def test_organization_limit_is_enforced() -> None:
    with pytest.raises(GoalError, match="limit of 256"):
        cover(300, 30, "capacity-block", CATALOG)


@given(
    nodes=st.integers(1, 256),
    days=st.floats(0.1, 1000),
    kind=st.sampled_from(["capacity-block", "training-plan"]),
)
def test_purchases_cover_the_run_and_are_available(nodes: int, days: float, kind: Advance) -> None:
    bought = cover(nodes, days, kind, CATALOG)
    by_start: dict[int, int] = {}
    for one in bought.purchases:
        assert one.instances in {1, 2, 4, 8, 16, 32, 64}
        assert 1 <= one.days <= 182
        if kind == "capacity-block":
            assert one.days <= 14 or one.days % 7 == 0
        by_start[one.starts_on_day] = by_start.get(one.starts_on_day, 0) + (
            one.instances * one.count
        )
    assert set(by_start.values()) == {nodes}
    assert sum({one.starts_on_day: one.days for one in bought.purchases}.values()) >= days - 1e-6
    assert bought.idle_instance_days >= -1e-6 * bought.needed_instance_days
    assert 0 <= bought.idle_share < 1 or bought.idle_share == pytest.approx(0)
