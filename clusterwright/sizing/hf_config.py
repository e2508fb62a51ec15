"""Read the shape of a model from a Hugging Face `config.json`.

The caller reads the file; nothing is downloaded. Keys are those of `transformers`: Llama, Mistral,
Mixtral, Qwen 2 and 3 (dense and MoE), DeepSeek V2 and V3, DBRX, Llama 4, GPT-2, GPT-NeoX, Falcon,
BLOOM, OPT, Gemma.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.shape import Experts, LatentAttention, ModelShape

_ALIASES: Final = {
    "layers": ("num_hidden_layers", "n_layer", "n_layers", "num_layers"),
    "hidden": ("hidden_size", "n_embd", "d_model", "n_embed"),
    "heads": ("num_attention_heads", "n_head", "n_heads"),
    "vocab": ("vocab_size", "padded_vocab_size"),
}
_UNGATED: Final = frozenset(
    (
        "gpt2",
        "gpt_neox",
        "gpt_neo",
        "gptj",
        "bloom",
        "opt",
        "falcon",
        "RefinedWeb",
        "gpt_bigcode",
        "starcoder2",
        "mpt",
        "phi",
    )
)
_TIED: Final = frozenset(
    ("gpt2", "bloom", "opt", "falcon", "mpt", "gemma", "gemma2", "gpt_bigcode")
)


def shape_from_config(config: object, *, name: str = "config.json") -> ModelShape:
    """The shape in a parsed `config.json`.

    Parameters
    ----------
    config:
        The result of `json.load`.
    name:
        Name of the file, for messages.

    Raises
    ------
    GoalError
        The file does not describe a decoder-only transformer, or a size is missing or invalid.
    """
    if not isinstance(config, Mapping):
        raise GoalError(f"{name} is not a Hugging Face config.json", "it must be a JSON object")
    if config.get("is_encoder_decoder"):
        raise GoalError(
            f"{name} is an encoder-decoder model", "only decoder-only models are supported"
        )
    if isinstance(config.get("text_config"), Mapping):
        config = {**config["text_config"], "model_type": config.get("model_type")}
    kind = str(config.get("model_type") or "")
    sizes = {field: _first(config, keys, field, name) for field, keys in _ALIASES.items()}
    attention = config.get("attn_config") if isinstance(config.get("attn_config"), Mapping) else {}
    assert isinstance(attention, Mapping)
    kv_heads = (
        _whole(config, "num_key_value_heads", name)
        or _whole(attention, "kv_n_heads", name)
        or _whole(config, "num_kv_heads", name)
        or (1 if config.get("multi_query") and not config.get("new_decoder_architecture") else 0)
        or sizes["heads"]
    )
    gated = kind not in _UNGATED
    ffn = (
        _whole(config, "intermediate_size_mlp", name)
        or _whole(config, "intermediate_size", name)
        or _whole(config, "ffn_dim", name)
        or _whole(config, "n_inner", name)
        or 0
    )
    experts = _experts(config, sizes["layers"], ffn, name)
    if not ffn:
        ffn = experts.ffn if experts else 4 * sizes["hidden"]
    tied = config.get("tie_word_embeddings")
    shape = ModelShape(
        name=str(config.get("_name_or_path") or name),
        kv_heads=kv_heads,
        ffn=ffn,
        head_dim=_whole(config, "head_dim", name) or 0,
        gated=gated,
        tied=bool(tied) if tied is not None else kind in _TIED,
        experts=experts,
        latent=_latent(config, name),
        source=f"{name} ({kind or 'no model_type'})",
        layers=sizes["layers"],
        hidden=sizes["hidden"],
        heads=sizes["heads"],
        vocab=sizes["vocab"],
    )
    shape.check()
    return shape


def _experts(config: Mapping[str, Any], layers: int, ffn: int, name: str) -> Experts | None:
    nested = config.get("ffn_config")
    source: Mapping[str, Any] = nested if isinstance(nested, Mapping) else config
    count = next(
        (
            found
            for key in ("n_routed_experts", "num_local_experts", "num_experts", "moe_num_experts")
            if (found := _whole(source, key, name))
        ),
        0,
    )
    if not count or count == 1:
        return None
    per_token = next(
        (
            found
            for key in ("num_experts_per_tok", "num_experts_per_token", "moe_top_k")
            if (found := _whole(source, key, name))
        ),
        0,
    )
    if not per_token:
        raise GoalError(
            f"{name} has {count} experts, but not their number per token",
            "num_experts_per_tok is missing",
        )
    width = _whole(source, "moe_intermediate_size", name)
    if "intermediate_size_mlp" in config:
        # Llama 4: `intermediate_size` is the expert's width, `..._mlp` the dense layers'.
        width = _whole(config, "intermediate_size", name)
    width = width or _whole(source, "ffn_hidden_size", name) or ffn
    shared = (_whole(config, "n_shared_experts", name) or 0) * width
    shared = shared or _whole(config, "shared_expert_intermediate_size", name) or 0
    if "intermediate_size_mlp" in config:
        shared = width
    return Experts(
        count=count,
        per_token=per_token,
        ffn=width,
        shared_ffn=shared,
        layers=_routed_layers(config, layers, name),
    )


def _routed_layers(config: Mapping[str, Any], layers: int, name: str) -> int:
    listed = config.get("moe_layers")
    if isinstance(listed, list) and listed:
        return len(listed)
    first = _whole(config, "first_k_dense_replace", name) or 0
    step = (
        _whole(config, "interleave_moe_layer_step", name)
        or _whole(config, "decoder_sparse_step", name)
        or _whole(config, "moe_layer_freq", name)
        or 1
    )
    dense = config.get("mlp_only_layers")
    without = len(dense) if isinstance(dense, list) else 0
    return max(1, (layers - first) // step - without)


def _latent(config: Mapping[str, Any], name: str) -> LatentAttention | None:
    kv_rank = _whole(config, "kv_lora_rank", name)
    if not kv_rank:
        return None
    return LatentAttention(
        kv_rank=kv_rank,
        nope_head=_whole(config, "qk_nope_head_dim", name) or 128,
        rope_head=_whole(config, "qk_rope_head_dim", name) or 64,
        value_head=_whole(config, "v_head_dim", name) or 128,
        query_rank=_whole(config, "q_lora_rank", name) or None,
    )


def _first(config: Mapping[str, Any], keys: tuple[str, ...], field: str, name: str) -> int:
    for key in keys:
        value = _whole(config, key, name)
        if value:
            return value
    raise GoalError(
        f"{name} does not state the model's {field}", f"one of {', '.join(keys)} is missing"
    )


def _whole(config: Mapping[str, Any], key: str, name: str) -> int | None:
    value = config.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value // 1:
        raise GoalError(f"{key} of {name} is {value!r}, not an integer")
    if not 0 <= value < 10**9:
        raise GoalError(f"{key} of {name} is {value!r}", "must be from 0 to 10^9")
    return int(value)
