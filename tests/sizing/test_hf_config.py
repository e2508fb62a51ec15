"""Shapes from config.json files of Hugging Face, and invalid files."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.hf_config import shape_from_config
from clusterwright.sizing.models import model

LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 8192,
    "intermediate_size": 28672,
    "num_hidden_layers": 80,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "tie_word_embeddings": False,
}
DEEPSEEK: dict[str, Any] = {
    "model_type": "deepseek_v3",
    "vocab_size": 129280,
    "hidden_size": 7168,
    "intermediate_size": 18432,
    "moe_intermediate_size": 2048,
    "num_hidden_layers": 61,
    "num_attention_heads": 128,
    "num_key_value_heads": 128,
    "q_lora_rank": 1536,
    "kv_lora_rank": 512,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "n_routed_experts": 256,
    "n_shared_experts": 1,
    "num_experts_per_tok": 8,
    "first_k_dense_replace": 3,
    "tie_word_embeddings": False,
}
MIXTRAL: dict[str, Any] = {
    "model_type": "mixtral",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "num_local_experts": 8,
    "num_experts_per_tok": 2,
    "vocab_size": 32000,
    "tie_word_embeddings": False,
}
QWEN: dict[str, Any] = {
    "model_type": "qwen3_moe",
    "hidden_size": 2048,
    "intermediate_size": 6144,
    "moe_intermediate_size": 768,
    "num_hidden_layers": 48,
    "num_attention_heads": 32,
    "num_key_value_heads": 4,
    "head_dim": 128,
    "vocab_size": 151936,
    "num_experts": 128,
    "num_experts_per_tok": 8,
    "decoder_sparse_step": 1,
    "mlp_only_layers": [],
    "tie_word_embeddings": False,
}
DBRX: dict[str, Any] = {
    "model_type": "dbrx",
    "d_model": 6144,
    "n_heads": 48,
    "n_layers": 40,
    "vocab_size": 100352,
    "attn_config": {"kv_n_heads": 8},
    "ffn_config": {"ffn_hidden_size": 10752, "moe_num_experts": 16, "moe_top_k": 4},
    "tie_word_embeddings": False,
}
BLOOM: dict[str, Any] = {
    "model_type": "bloom",
    "hidden_size": 14336,
    "n_layer": 70,
    "n_head": 112,
    "vocab_size": 250880,
}
MAVERICK: dict[str, Any] = {
    "model_type": "llama4",
    "text_config": {
        "hidden_size": 5120,
        "intermediate_size": 8192,
        "intermediate_size_mlp": 16384,
        "num_hidden_layers": 48,
        "num_attention_heads": 40,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "vocab_size": 202048,
        "num_local_experts": 128,
        "num_experts_per_tok": 1,
        "interleave_moe_layer_step": 2,
        "tie_word_embeddings": False,
    },
}


@pytest.mark.parametrize(
    ("config", "name"),
    [
        (LLAMA, "llama3-70b"),
        (DEEPSEEK, "deepseek-v3"),
        (MIXTRAL, "mixtral-8x7b"),
        (QWEN, "qwen3-30b-a3b"),
        (DBRX, "dbrx"),
        (BLOOM, "bloom-176b"),
        (MAVERICK, "llama4-maverick"),
    ],
)
def test_file_has_the_parameter_count_of_the_table(config: dict[str, Any], name: str) -> None:
    found, known = shape_from_config(config), model(name)
    assert found.counted_params == known.counted_params
    assert found.counted_active == known.counted_active


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ([], "not a Hugging Face"),
        ("x", "not a Hugging Face"),
        ({}, "does not state the model's layers"),
        ({**LLAMA, "hidden_size": "big"}, "not an integer"),
        ({**LLAMA, "num_hidden_layers": 1.5}, "not an integer"),
        ({**LLAMA, "hidden_size": -8}, "-8"),
        ({**LLAMA, "num_key_value_heads": 7}, "not a multiple"),
        ({**LLAMA, "is_encoder_decoder": True}, "encoder-decoder"),
        ({**LLAMA, "vocab_size": float("nan")}, "not an integer"),
        ({**LLAMA, "vocab_size": float("inf")}, "not an integer"),
        ({k: v for k, v in MIXTRAL.items() if k != "num_experts_per_tok"}, "number per token"),
        ({**MIXTRAL, "num_experts_per_tok": 9}, "9 of 8 experts per token"),
    ],
)
def test_an_invalid_file_is_an_error(config: object, said: str) -> None:
    with pytest.raises(GoalError, match=said):
        shape_from_config(config)


@given(
    st.dictionaries(
        st.sampled_from([*LLAMA, *DEEPSEEK, "ffn_config", "text_config", "moe_layers"]),
        st.one_of(
            st.none(),
            st.integers(-5, 10**10),
            st.floats(),
            st.text(max_size=3),
            st.lists(st.integers(0, 4), max_size=3),
        ),
    )
)
def test_any_file_is_a_shape_or_an_error(config: dict[str, Any]) -> None:
    try:
        shape = shape_from_config(config)
    except GoalError as error:
        assert str(error)  # noqa: PT017 - either is fine
    else:
        assert shape.counted_params > 0
