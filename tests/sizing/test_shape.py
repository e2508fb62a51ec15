"""Parameter counts of known models, and inferred shapes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.models import model
from clusterwright.sizing.shape import ModelShape, infer


@settings(max_examples=200)
@given(st.floats(min_value=1e6, max_value=5e12))
def test_dense_shape_is_inferred_from_its_size(params: float) -> None:
    shape = infer(params)
    assert shape.counted_params == pytest.approx(params, rel=0.01)
    assert shape.params == params
    assert set(shape.inferred) >= {"layers", "hidden"}
    shape.check()


@settings(max_examples=200)
@given(st.floats(min_value=5e9, max_value=3e12), st.floats(min_value=2, max_value=30))
def test_mixture_of_experts_is_inferred_from_both_sizes(params: float, ratio: float) -> None:
    active = params / ratio
    try:
        shape = infer(params, active=active)
    except GoalError:
        assert active < 1e9
        return
    assert shape.experts is not None
    assert shape.counted_params == pytest.approx(params, rel=0.03)
    assert shape.active == active
    assert shape.params == params


def test_given_sizes_are_kept() -> None:
    shape = infer(70e9, layers=80, hidden=8192, heads=64, kv_heads=8, vocab=32_000)
    assert (shape.layers, shape.hidden, shape.heads, shape.kv_heads) == (80, 8192, 64, 8)
    assert shape.inferred == ()


def test_contradicting_sizes_are_errors() -> None:
    with pytest.raises(GoalError, match="leave no parameters"):
        infer(1e9, layers=80, hidden=8192)
    with pytest.raises(GoalError, match="exceed the total"):
        infer(1e9, active=2e9)


@pytest.mark.parametrize(
    "change", [{"kv_heads": 7}, {"heads": 60}, {"layers": 0}, {"vocab": -1}, {"hidden": 8191}]
)
def test_unsupported_shapes_are_errors(change: dict[str, int]) -> None:
    with pytest.raises(GoalError):
        replace(model("llama3-70b"), **change).check()  # type: ignore[arg-type]


def test_grouped_query_attention_saves_parameters() -> None:
    grouped = model("llama3-70b")
    full = replace(grouped, kv_heads=64)
    saved = full.counted_params - grouped.counted_params
    assert saved == 80 * 2 * (64 - 8) * 128 * 8192
    assert full.kv_values_per_token == 8 * grouped.kv_values_per_token


def test_latent_attention_has_a_small_cache() -> None:
    """DeepSeek-V3 stores 512 + 64 numbers per layer and token."""
    shape = model("deepseek-v3")
    assert shape.kv_values_per_token == 61 * 576
    assert isinstance(shape, ModelShape)
