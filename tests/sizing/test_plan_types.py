"""Types of a plan."""

from __future__ import annotations

import pytest

from clusterwright.sizing.plan_types import Layout, Quantiles


def test_quantiles_are_in_increasing_order() -> None:
    assert Quantiles(1, 2, 3).scaled(2) == Quantiles(2, 4, 6)
    with pytest.raises(ValueError, match="out of order"):
        Quantiles(3, 2, 1)


def test_a_layout_has_a_short_form() -> None:
    layout = Layout(tensor=8, pipeline=4, data=64)
    assert layout.accelerators == 2048
    assert layout.text == "TP8 PP4 DP64 MBS1 distributed-optimizer recompute-selective"
