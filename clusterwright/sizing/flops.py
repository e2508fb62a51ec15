"""Floating-point operations of training and inference.

A matrix product of a token with P parameters is 2 P operations forward and 4 P backward. Attention
is counted as causal, half of the full square. The input embedding is a look-up. Sources: Kaplan et
al. 2020 (6ND); llm-foundry `scripts/train/benchmarking` for the attention term, which it counts
without the causal mask (twice as much).
"""

from __future__ import annotations

from typing import Final

from clusterwright.sizing.shape import ModelShape

SIX_N_D: Final = "Kaplan et al. 2020, arXiv:2001.08361: C = 6 N D"
ATTENTION: Final = (
    "llm-foundry scripts/train/benchmarking: 3 * layers * 4 * d * s^2 per sequence, halved: causal"
)


def six_n_d(active: float, tokens: float) -> float:
    """6 x active parameters x tokens, without attention."""
    return 6.0 * active * tokens


def attention_flops_per_token(shape: ModelShape, seq_len: int) -> float:
    """Forward and backward, causal: 6 x layers x attention width x sequence length."""
    return 6.0 * shape.layers * shape.attention_width * seq_len


def training_flops_per_token(shape: ModelShape, seq_len: int) -> float:
    """Operations per token: weights of active parameters, and attention."""
    return 6.0 * shape.matmul_params + attention_flops_per_token(shape, seq_len)


def attention_share(shape: ModelShape, seq_len: int) -> float:
    """Attention relative to 6N; significant above 16 thousand tokens."""
    return attention_flops_per_token(shape, seq_len) / (6.0 * shape.active)


def inference_flops_per_token(shape: ModelShape) -> float:
    """Forward only: 2 x active parameters."""
    return 2.0 * shape.active
