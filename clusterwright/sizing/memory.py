"""Bytes on the most loaded accelerator, by part.

Weights, gradients and optimizer: Megatron-LM `theoretical_memory_usage.py` (18 bytes per
parameter; 6 + 12/DP with its distributed optimizer) and ZeRO (Rajbhandari et al. 2020: 6 + 12/N,
2 + 16/N, 18/N). Activations: Korthikanti et al. 2022, arXiv:2205.05198, table 2, as Megatron has
it for gated and grouped MLPs. Logits, context and copies: stas00/ml-engineering. Expert parameters
are sharded over their own data-parallel group.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Final

import numpy as np

from clusterwright.sizing.layouts import (
    DISTRIBUTED,
    FSDP,
    FULL,
    NO_RECOMPUTE,
    PLAIN,
    ZERO_2,
    Floats,
    Grid,
)
from clusterwright.sizing.plan_types import Memory
from clusterwright.sizing.shape import ModelShape

GIB: Final = 2**30
HEADROOM: Final = 0.90
"""A layout above this share of the memory is refused (10 % stay free)."""
CONTEXT_GIB: Final = 1.5
"""CUDA context, NCCL's rings and cuBLAS workspaces: 0.5 to 2 GiB (stas00/ml-engineering)."""
FRAGMENTATION: Final = 0.05
"""Share of the allocations of every step (as in Megatron-LM's estimator)."""
FULL_STATE_BYTES: Final = 14
"""Of a checkpoint per parameter: BF16 weights 2, FP32 master 4, Adam's moments 8."""
QUANTISED_BYTES: Final = {"int8": 1.0, "fp8": 1.0, "int4": 0.5, "fp4": 0.5, "bf16": 2.0}

RECOMPUTE_SHARES: Final = (0.0, 0.25, 0.5, 1.0)

PARTS: Final = (
    "weights",
    "gradients",
    "optimizer",
    "activations",
    "logits",
    "buffers",
    "context",
    "fragmentation",
)


@dataclass(frozen=True)
class Training:
    """Training state in bytes per parameter.

    `trainable_share` is 1, or LoRA's adapters relative to the model; `frozen_bytes` is what a
    frozen weight takes (2 for LoRA, 0.5 and a little for QLoRA's 4 bits).
    """

    weight_bytes: float = 2.0
    gradient_bytes: float = 4.0
    optimizer_bytes: float = 12.0
    trainable_share: float = 1.0
    frozen_bytes: float = 0.0
    sequence_parallel: bool = True
    flash_attention: bool = True


ADAM: Final = Training()
ADAM_8BIT: Final = Training(optimizer_bytes=6.0)
"""FP32 master 4, two moments of a byte each (Dettmers et al. 2022, arXiv:2110.02861)."""
QLORA_BYTES: Final = 0.5 + 0.127 / 8
"""4 bits, and 0.127 bits of constants after double quantisation (arXiv:2305.14314, section 3)."""


def training_of(kind: str, optimizer: str, shape: ModelShape, *, lora_rank: int = 16) -> Training:
    """Training state of a kind of training: of all parameters, or of LoRA's adapters."""
    base = ADAM_8BIT if optimizer == "adam-8bit" else ADAM
    if kind not in {"lora", "qlora"}:
        return base
    share = lora_params(shape, lora_rank) / shape.params
    frozen = 2.0 if kind == "lora" else QLORA_BYTES
    return replace(base, trainable_share=share, frozen_bytes=frozen)


def lora_params(shape: ModelShape, rank: int) -> float:
    """Adapters on every matrix of attention and of the dense or shared MLP.

    A matrix of a x b gets rank x (a + b) (Hu et al. 2021, arXiv:2106.09685).
    """
    h, d = shape.hidden, shape.heads * shape.head_width
    kv = shape.kv_heads * shape.head_width
    attention = 2 * (h + d) + 2 * (h + kv)
    width = shape.experts.shared_ffn if shape.experts else shape.ffn
    mlp = shape.matrices * (h + width) if width else 0
    return float(shape.layers * rank * (attention + mlp))


def by_part(shape: ModelShape, grid: Grid, *, seq_len: int, training: Training = ADAM) -> Floats:
    """Bytes of each part (rows as `PARTS`) for each layout (columns), on its fullest stage.

    The first stage holds the input embedding and the activations of as many micro-batches as the
    pipeline is deep; the last the output head and the logits of one. The fuller one counts.
    """
    state = _state(shape, grid, training)
    activation = _activation_per_layer(shape, grid, seq_len, training)
    layers = np.ceil(shape.layers / grid.pipeline)
    in_flight = np.minimum(grid.pipeline, grid.accumulation)
    interleaved = np.where(
        grid.virtual > 1, 1 + (grid.pipeline - 1) / (grid.pipeline * grid.virtual), 1.0
    )
    tokens = grid.micro_batch * seq_len / grid.context
    split = grid.tensor if training.sequence_parallel else np.ones(len(grid))
    embedding_output = tokens * (8 + shape.hidden) * in_flight / split
    working = _recompute_working_set(shape, grid, seq_len, training)
    first = activation * layers * in_flight * interleaved + embedding_output + working
    last = activation * layers + working
    # FP32 logits, their gradient in BF16 (stas00/ml-engineering: 6 bytes per token and entry),
    # and the output layer's input.
    logits = tokens * (6 * shape.vocab / grid.tensor + 4 * shape.hidden / split)
    single = grid.pipeline == 1
    use_last = ~single & (last + logits > first)
    activations = np.where(use_last, last, first)
    logits = np.where(single | use_last, logits, 0.0)
    buffers = _buffers(shape, grid, seq_len, training)
    context = np.full(len(grid), CONTEXT_GIB * GIB)
    fragments = FRAGMENTATION * (activations + logits + buffers)
    return np.vstack([*state, activations, logits, buffers, context, fragments])


def fits(parts: Floats, memory_gib: float) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Mask of columns within the headroom."""
    below: np.ndarray[tuple[int], np.dtype[np.bool_]] = (
        parts.sum(axis=0) <= HEADROOM * memory_gib * GIB
    )
    return below


def fitting(
    shape: ModelShape, grid: Grid, *, seq_len: int, memory_gib: float, training: Training = ADAM
) -> tuple[Grid, Floats]:
    """The layouts that fit, each with the least recomputation, and their parts.

    Selective recomputation first, then a quarter, half and all of the layers in full: less is
    always faster, so that no other share needs to be looked at.
    """
    found: list[tuple[Grid, Floats]] = []
    left = grid
    for share in RECOMPUTE_SHARES:
        if len(left) == 0:
            break
        if share > 0:
            count = len(left)
            left = replace(
                left,
                recompute=np.full(count, float(FULL)),
                recompute_share=np.full(count, share),
            )
        parts = by_part(shape, left, seq_len=seq_len, training=training)
        fit = fits(parts, memory_gib)
        found.append((left.take(fit), parts[:, fit]))
        left = left.take(~fit)
    columns = [[getattr(g, field.name) for g, _ in found] for field in fields(Grid)]
    joined = Grid(*(np.concatenate(arrays) for arrays in columns)) if found else grid
    return joined, np.hstack([parts for _, parts in found]) if found else np.zeros((len(PARTS), 0))


def memory_of(parts: Floats, column: int, memory_gib: float) -> Memory:
    """One column as a `Memory`."""
    values = {name: float(parts[row, column]) for row, name in enumerate(PARTS)}
    return Memory(values, memory_gib)


def params_per_rank(shape: ModelShape, grid: Grid) -> tuple[Floats, Floats]:
    """Parameters of the fullest stage on one rank: (common, experts), before any sharding of DP.

    As Megatron: 1/pipeline of the layers and one embedding (two without a pipeline), over TP;
    routed experts over EP. A stated parameter count stretches the layers.
    """
    stretch = _stretch(shape)
    share = np.ceil(shape.layers / grid.pipeline) / shape.layers
    embeddings = np.where((grid.pipeline == 1) & (not shape.tied), 2.0, 1.0) * float(
        shape.embedding_params
    )
    common = (stretch * shape.common_block_params * share + embeddings) / grid.tensor
    experts = stretch * shape.all_expert_params * share / grid.expert
    return common, experts


def kv_cache_bytes(shape: ModelShape, tokens: float, *, bytes_per_value: float = 2.0) -> float:
    """Bytes of the KV cache of a number of tokens: 2 x layers x KV heads x head width x bytes.

    With latent attention it holds the latent vector and the rotary key instead (DeepSeek-V2,
    arXiv:2405.04434).
    """
    return shape.kv_values_per_token * tokens * bytes_per_value


def inference_bytes(
    shape: ModelShape, *, precision: str, tokens_in_cache: float, kv_bytes: float = 2.0
) -> dict[str, float]:
    """Bytes of the weights and the KV cache of one replica."""
    return {
        "weights": shape.params * QUANTISED_BYTES[precision],
        "kv_cache": kv_cache_bytes(shape, tokens_in_cache, bytes_per_value=kv_bytes),
    }


def checkpoint_bytes(shape: ModelShape) -> float:
    """A full checkpoint: 14 bytes per parameter (BLOOM: 2.3 TB of 176B)."""
    return FULL_STATE_BYTES * shape.params


def _stretch(shape: ModelShape) -> float:
    embeddings = shape.embedding_params * (1 if shape.tied else 2)
    blocks = shape.counted_params - embeddings
    return max(0.05, (shape.params - embeddings) / blocks)


def _state(shape: ModelShape, grid: Grid, training: Training) -> tuple[Floats, Floats, Floats]:
    common, experts = params_per_rank(shape, grid)
    replicas = grid.data * grid.context
    # Ranks with the same experts: tensor x context x data over expert ranks.
    expert_replicas = np.maximum(1.0, grid.tensor * replicas / grid.expert)
    share, frozen = training.trainable_share, training.frozen_bytes
    held = np.zeros(len(grid))
    gradients = np.zeros(len(grid))
    optimizer = np.zeros(len(grid))
    z = grid.sharding
    for params, ranks in ((common, replicas), (experts, expert_replicas)):
        weights_over = np.where(z == FSDP, ranks, 1.0)
        gradients_over = np.where((z == FSDP) | (z == ZERO_2), ranks, 1.0)
        optimizer_over = np.where(z == PLAIN, 1.0, ranks)
        kept = training.weight_bytes * share + frozen
        held = held + kept * params / weights_over
        gradients = gradients + training.gradient_bytes * share * params / gradients_over
        optimizer = optimizer + training.optimizer_bytes * share * params / optimizer_over
    return held, gradients, optimizer


def _activation_per_layer(
    shape: ModelShape, grid: Grid, seq_len: int, training: Training
) -> Floats:
    """Bytes of activations of a layer and micro-batch, averaged over dense and routed layers."""
    tokens = grid.micro_batch * seq_len / grid.context
    h = shape.hidden
    widths = float(shape.dense_layers * shape.ffn)
    if shape.experts is not None:
        e = shape.experts
        # A routed token is stored once per active expert, with its copy of the hidden state.
        widths += e.layers * (e.per_token * (e.ffn + h / 2) + e.shared_ffn)
    mlp = 4 * widths / shape.layers / h
    if training.sequence_parallel:
        stored = tokens * h * (18 + mlp) / grid.tensor
    else:
        stored = tokens * h * (10 + (8 + mlp) / grid.tensor)
    scores = 5 * shape.heads * seq_len / grid.context * tokens / grid.tensor
    without = stored + (0.0 if training.flash_attention else 1.0) * scores
    split = grid.tensor if training.sequence_parallel else np.ones(len(grid))
    full = 2 * tokens * h / split
    # A part of the layers may be recomputed in full, the others selectively.
    mixed = grid.recompute_share * full + (1 - grid.recompute_share) * stored
    chosen: Floats = np.where(
        grid.recompute == FULL, mixed, np.where(grid.recompute == NO_RECOMPUTE, without, stored)
    )
    return chosen


def _recompute_working_set(
    shape: ModelShape, grid: Grid, seq_len: int, training: Training
) -> Floats:
    """Bytes of one layer that is recomputed in full while it is differentiated."""
    selective = replace(grid, recompute=np.ones(len(grid)))
    layer = _activation_per_layer(shape, selective, seq_len, training)
    return np.where(grid.recompute == FULL, layer, 0.0)


def _buffers(shape: ModelShape, grid: Grid, seq_len: int, training: Training) -> Floats:
    """Bytes of communication buffers: gathered layers (FSDP), buckets (others), routed tokens."""
    layer = (shape.common_block_params / shape.layers) / grid.tensor
    if shape.experts is not None:
        e = shape.experts
        layer = layer + e.count * shape.expert_params * (e.layers / shape.layers) / grid.expert
    # Two layers of weights (current and next), and gradients of one.
    per_weight = training.weight_bytes * training.trainable_share + training.frozen_bytes
    gathered = layer * (2 * per_weight + 2 * training.trainable_share)
    # Megatron's buckets hold 40 million parameters by default, in FP32.
    bucket = np.minimum(layer * shape.layers / grid.pipeline, 40e6) * 4 * 2
    routed = np.zeros(len(grid))
    if shape.experts is not None:
        tokens = grid.micro_batch * seq_len / grid.context / grid.tensor
        routed = np.where(grid.expert > 1, 4 * tokens * shape.experts.per_token * shape.hidden, 0)
    sharded = np.where(grid.sharding == DISTRIBUTED, bucket, bucket / 2)
    buffers: Floats = np.where(grid.sharding == FSDP, gathered, sharded) + routed
    return buffers
