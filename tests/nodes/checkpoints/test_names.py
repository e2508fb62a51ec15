"""Names in a folder of checkpoints."""

from __future__ import annotations

from clusterwright_checkpoints import names
from hypothesis import given
from hypothesis import strategies as st


@given(st.lists(st.integers(0, 10**6), min_size=1, unique=True))
def test_steps_are_sorted_numerically(numbers: list[int]) -> None:
    steps = [f"step-{number}" for number in numbers]
    assert sorted(steps, key=names.order) == [f"step-{n}" for n in sorted(numbers)]
