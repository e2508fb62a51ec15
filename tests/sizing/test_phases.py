"""A ramp to the full cluster."""

from __future__ import annotations

import datetime as dt
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.phases import ramp

DAY = dt.date(2027, 1, 4)


def test_ramp_of_8_64_and_512_nodes() -> None:
    phases = ramp(512, 60, DAY, usd_per_node_hour=50.0)
    assert [one.nodes for one in phases] == [8, 64, 512]
    assert [one.quota_instances for one in phases] == [8, 64, 512]
    assert phases[0].starts == DAY
    assert phases[-1].days == 60
    assert phases[-1].usd == 512 * 60 * 24 * 50.0


def test_small_cluster_has_no_ramp() -> None:
    (only,) = ramp(8, 3.5, DAY, usd_per_node_hour=None)
    assert only.days == 4
    assert only.usd is None


@pytest.mark.parametrize("steps", [(64, 8), (8, 8), (0, 8)])
def test_steps_must_increase(steps: tuple[int, ...]) -> None:
    with pytest.raises(GoalError, match="phases of"):
        ramp(512, 60, DAY, usd_per_node_hour=1.0, steps=steps)


@given(nodes=st.integers(1, 5000), days=st.floats(0.5, 1000))
def test_phases_are_consecutive_and_cost_less_than_the_run(nodes: int, days: float) -> None:
    phases = ramp(nodes, days, DAY, usd_per_node_hour=2.0)
    assert phases[-1].nodes == nodes
    for before, after in itertools.pairwise(phases):
        assert before.ends == after.starts
        assert before.nodes < after.nodes
        assert 7 <= before.days <= 30
    assert all(one.usd == one.nodes * one.days * 48 for one in phases)
