"""Memory compared with Megatron-LM's published estimator, and its bounds."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clusterwright.sizing import memory
from clusterwright.sizing.layouts import one
from clusterwright.sizing.models import model
from clusterwright.sizing.plan_types import Layout
from clusterwright.sizing.shape import ModelShape

LLAMA = model("llama3-70b")


def parts(
    shape: ModelShape, layout: Layout, seq_len: int = 8192, **training: object
) -> dict[str, float]:
    kept = replace(memory.ADAM, **training)  # type: ignore[arg-type]
    found = memory.by_part(shape, one(layout), seq_len=seq_len, training=kept)
    return memory.memory_of(found, 0, 80).parts


def megatron_states(shape: ModelShape, layout: Layout) -> float:
    """`compute_weight_and_optimizer_memory` of Megatron-LM, for a dense gated model, from its
    published equations: 1/pp of the block and one embedding (two without pp), over tp.
    """
    h, f = shape.hidden, shape.ffn
    attention = 2 * h * h * (1 + shape.kv_heads / shape.heads)
    layer = 2 * h * (f * 3 / 2 + 1) + attention
    block = layer * shape.layers + h
    embedding = h * shape.vocab
    shard = block / layout.pipeline + embedding
    if layout.pipeline == 1:
        shard += embedding
    shard /= layout.tensor
    return shard * (18 if layout.sharding == "none" else 6 + 12 / layout.data)


def megatron_activations(shape: ModelShape, layout: Layout, s: int) -> float:
    """`compute_activation_memory` of Megatron-LM (sequence parallel, selective recomputation)."""
    b, h, p = layout.micro_batch, shape.hidden, layout.pipeline
    total = s * b * h * (18 + 4 * shape.ffn / h) * shape.layers
    total += 8 * s * b * p + s * b * h * p
    if layout.virtual > 1:
        total *= 1 + (p - 1) / (p * layout.virtual)
    elif p > 1:
        total *= min(1, layout.accumulation / p)
    if p == 1:
        total += s * b * h * 4 * (1 + shape.vocab / h)
    return total / layout.tensor


LAYOUTS = [
    Layout(tensor=t, pipeline=p, data=d, virtual=v, micro_batch=b, accumulation=64, sharding=z)
    for t, p, d, v, b, z in [
        (8, 1, 8, 1, 1, "none"),
        (8, 1, 64, 1, 2, "distributed-optimizer"),
        (4, 4, 16, 1, 1, "distributed-optimizer"),
        (8, 8, 4, 5, 1, "distributed-optimizer"),
        (2, 16, 4, 1, 4, "none"),
    ]
]


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.text)
@pytest.mark.parametrize("name", ["llama3-70b", "llama2-7b", "llama2-70b"])
def test_optimizer_states_match_megatron(name: str, layout: Layout) -> None:
    shape = model(name)
    found = parts(shape, layout)
    states = found["weights"] + found["gradients"] + found["optimizer"]
    assert states == pytest.approx(megatron_states(shape, layout), rel=1e-6)


def test_stage_has_whole_layers() -> None:
    """Megatron's estimator divides 126 layers by 4; a stage has 32 or 31 of them."""
    layout, shape = LAYOUTS[2], model("llama3.1-405b")
    found = parts(shape, layout)
    states = found["weights"] + found["gradients"] + found["optimizer"]
    assert 1.0 < states / megatron_states(shape, layout) < 32 / 31.5 + 1e-6


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.text)
def test_activations_match_megatron_except_logits(layout: Layout) -> None:
    """The planner has 6 bytes per logit (FP32 and its BF16 gradient), Megatron's estimator 4.

    otherwise they are equal.
    """
    found = parts(LLAMA, layout)
    ours = found["activations"] + found["logits"]
    theirs = megatron_activations(LLAMA, layout, 8192)
    tokens = 8192 * layout.micro_batch
    if layout.pipeline == 1:
        theirs += 2 * tokens * LLAMA.vocab / layout.tensor
    assert ours == pytest.approx(theirs, rel=0.01)


def test_activations_without_sequence_parallelism_match_korthikanti() -> None:
    layout = Layout(tensor=8, data=8, micro_batch=1, accumulation=8)
    gpt = model("gpt3-175b")
    found = parts(gpt, layout, 2048, sequence_parallel=False)
    per_layer = 2048 * gpt.hidden * (10 + 24 / 8)
    rest = 2048 * (8 + gpt.hidden)
    assert found["activations"] == pytest.approx(per_layer * gpt.layers + rest, rel=1e-9)


@pytest.mark.parametrize(
    ("sharding", "bytes_per_parameter"),
    [
        ("none", 18),
        ("distributed-optimizer", 6 + 12 / 64),
        ("zero-2", 2 + 16 / 64),
        ("fsdp", 18 / 64),
    ],
)
def test_zero_shards_by_stage(sharding: str, bytes_per_parameter: float) -> None:
    layout = Layout(data=64, sharding=sharding)  # type: ignore[arg-type]
    found = parts(LLAMA, layout)
    states = found["weights"] + found["gradients"] + found["optimizer"]
    assert states == pytest.approx(LLAMA.params * bytes_per_parameter, rel=1e-6)


def test_8_bit_optimizer_needs_half_the_memory_of_adam() -> None:
    layout = Layout(data=8)
    assert parts(LLAMA, layout, optimizer_bytes=6.0)["optimizer"] == pytest.approx(
        parts(LLAMA, layout)["optimizer"] / 2
    )


def test_recomputation_needs_less_memory() -> None:
    kept = {
        how: parts(LLAMA, Layout(tensor=8, data=8, recompute=how), flash_attention=False)[  # type: ignore[arg-type]
            "activations"
        ]
        for how in ("none", "selective", "full")
    }
    assert kept["none"] > 2 * kept["selective"] > 10 * kept["full"]
    # 5 a s / h more per layer without selective recomputation (Korthikanti, table 2).
    scores = 5 * LLAMA.heads * 8192**2 * LLAMA.layers / 8
    assert kept["none"] - kept["selective"] == pytest.approx(scores)


def test_lora_and_qlora_need_little_memory() -> None:
    shape = model("llama3-70b")
    full = memory.training_of("fine-tune", "adam", shape)
    lora = memory.training_of("lora", "adam", shape, lora_rank=16)
    qlora = memory.training_of("qlora", "adam", shape, lora_rank=16)
    sizes = []
    for training in (full, lora, qlora):
        found = memory.by_part(
            shape, one(Layout(sharding="none")), seq_len=2048, training=training
        )
        sizes.append(found[:3].sum())
    assert sizes[0] == pytest.approx(18 * shape.params, rel=1e-6)
    assert 2.0 < sizes[1] / shape.params < 2.2
    assert 0.5 < sizes[2] / shape.params < 0.7


def test_adapters_are_counted_per_matrix() -> None:
    """rank x (in + out) of q, k, v, o and the MLP's three matrices (Hu et al. 2021)."""
    shape = model("llama2-7b")
    per_layer = 16 * (4 * (4096 + 4096) + 3 * (4096 + 11008))
    assert memory.lora_params(shape, 16) == 32 * per_layer


def test_kv_cache_of_llama3_70b() -> None:
    """2 x 80 layers x 8 heads x 128 x 2 bytes = 320 KiB per token."""
    assert memory.kv_cache_bytes(LLAMA, 1) == 2 * 80 * 8 * 128 * 2
    found = memory.inference_bytes(LLAMA, precision="int4", tokens_in_cache=1000)
    assert found["weights"] == LLAMA.params * 0.5


def test_checkpoint_has_14_bytes_per_parameter() -> None:
    assert memory.checkpoint_bytes(model("bloom-176b")) == pytest.approx(2.46e12, rel=0.01)


@settings(max_examples=100)
@given(
    st.sampled_from(["llama3-8b", "llama3-70b", "deepseek-v3", "mixtral-8x7b"]),
    st.sampled_from([1, 2, 4, 8]),
    st.sampled_from([1, 2, 4, 8]),
    st.sampled_from([1, 8, 64]),
    st.sampled_from([1, 2, 8]),
)
def test_more_ranks_never_need_more_memory_each(
    name: str, tensor: int, pipeline: int, data: int, experts: int
) -> None:
    shape = model(name)
    experts = experts if shape.is_moe and experts <= tensor * data else 1
    layout = Layout(tensor=tensor, pipeline=pipeline, data=data, expert=experts, accumulation=64)
    here = sum(parts(shape, layout).values())
    assert math.isfinite(here)
    assert here > 0
    assert sum(parts(shape, replace(layout, tensor=2 * tensor)).values()) < here * 1.001
    assert sum(parts(shape, replace(layout, data=2 * data)).values()) <= here * 1.001
    assert sum(parts(shape, replace(layout, micro_batch=2)).values()) > here


def test_experts_are_shared_by_expert_parallelism() -> None:
    shape = model("deepseek-v3")
    alone = memory.params_per_rank(shape, one(Layout(data=64)))[1]
    shared = memory.params_per_rank(shape, one(Layout(data=64, expert=64)))[1]
    assert np.allclose(alone, 64 * shared)
    layout = Layout(data=64, expert=64, sharding="none")
    found = parts(shape, layout)
    states = found["weights"] + found["gradients"] + found["optimizer"]
    common = shape.params - shape.all_expert_params
    assert states == pytest.approx(18 * (common + shape.all_expert_params / 64), rel=1e-6)
