"""Compute-optimal and inference-aware models."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.sizing import inference
from clusterwright.sizing.errors import GoalError


def test_chinchilla_loss_of_hoffmann() -> None:
    # By logarithms: 406.4 / e^(0.34 x 24.9718) + 410.7 / e^(0.28 x 27.9675) = 0.0835 + 0.1632.
    assert inference.loss(70e9, 1.4e12) == pytest.approx(1.69 + 0.0835 + 0.1632, abs=2e-4)


def test_example_000_16_pays_back_after_24_trillion_tokens() -> None:
    found = inference.break_even_tokens(70e9, 1.4e12, 41.6e9, 7.9e12)
    assert found == pytest.approx(2.436e13, rel=1e-3)


def test_a_model_that_costs_less_from_the_start_has_no_break_even() -> None:
    assert inference.break_even_tokens(70e9, 1.4e12, 7e9, 1e12) is None
    assert inference.break_even_tokens(70e9, 1.4e12, 70e9, 2e12) is None


def test_more_inference_favours_a_smaller_model() -> None:
    few, many = inference.compare(70e9, 1e11), inference.compare(70e9, 1e14)
    assert many.inference_aware.params < few.inference_aware.params <= 75e9
    assert many.inference_aware.tokens > few.inference_aware.tokens
    assert many.saved_share > few.saved_share >= 0


@given(params=st.floats(1e8, 1e12), tokens=st.floats(1e9, 1e16))
def test_loss_is_equal_and_compute_never_higher(params: float, tokens: float) -> None:
    found = inference.compare(params, tokens)
    best, first = found.inference_aware, found.compute_optimal
    assert best.loss == pytest.approx(first.loss, rel=1e-9)
    assert best.total_flops <= first.total_flops
    # No size nearby is better.
    for factor in (0.9, 1.1):
        needed = inference.tokens_for(first.loss, best.params * factor)
        if needed is not None and best.params > 0.06 * params:
            work = 6 * best.params * factor * needed + 2 * best.params * factor * tokens
            assert work >= best.total_flops * (1 - 1e-9)
    if found.break_even_tokens is not None and best.params < params:
        assert found.break_even_tokens <= tokens * (1 + 1e-9)


def test_zero_inference_tokens_are_refused() -> None:
    with pytest.raises(GoalError, match="inference tokens are 0"):
        inference.compare(70e9, 0)
