"""Known models: sizes, sources and names."""

from __future__ import annotations

import pytest

from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.models import model, model_names, usual_seq_len

# Published sizes in billions: all, active. Counts, not run hours.
STATED = {
    "llama2-7b": (6.74, None),
    "llama2-13b": (13.02, None),
    "llama2-70b": (68.98, None),
    "llama3-8b": (8.03, None),
    "llama3-70b": (70.6, None),
    "llama3.1-405b": (405.9, None),
    "llama4-maverick": (400.7, 17.2),
    "deepseek-v3": (671.0, 37.5),
    "dbrx": (131.6, 36.5),
    "mixtral-8x7b": (46.7, 12.9),
    "mixtral-8x22b": (140.6, 39.1),
    "gpt3-175b": (175, None),
    "bloom-176b": (176.2, None),
    "chinchilla-70b": (70, None),
    "qwen3-32b": (32.8, None),
    "qwen3-30b-a3b": (30.5, 3.35),
    "qwen3-235b-a22b": (235.1, 22.2),
    "qwen2-57b-a14b": (57.4, 14.2),
}


@pytest.mark.parametrize("name", sorted(STATED))
def test_parameter_counts_match_published_ones(name: str) -> None:
    params, active = STATED[name]
    shape = model(name)
    assert shape.params == pytest.approx(params * 1e9, rel=0.006)
    assert shape.active == pytest.approx((active or params) * 1e9, rel=0.01)


@pytest.mark.parametrize("name", model_names())
def test_every_model_has_a_source_and_a_sequence_length(name: str) -> None:
    assert model(name).source
    assert (usual_seq_len(name) or 0) >= 2048
    assert model(name).matmul_params <= model(name).active


def test_names_are_found_in_other_spellings() -> None:
    assert model("Llama-3-70B") == model("llama3-70b")
    assert model(" DeepSeekV3 ") == model("deepseek-v3")


def test_an_unknown_name_has_suggestions() -> None:
    with pytest.raises(GoalError) as caught:
        model("llama3-71b")
    assert "llama3-70b" in (caught.value.hint or "")
    assert "config.json" in (caught.value.hint or "")
