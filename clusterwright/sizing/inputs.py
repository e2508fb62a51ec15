"""Resolve a goal to the inputs of the estimate: shape, tokens, sequence length, batch.

Every value that is chosen here instead of by the user is a warning.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

from clusterwright.sizing import datasets, models
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.flops import attention_share, six_n_d
from clusterwright.sizing.goal import Goal
from clusterwright.sizing.quantities import human
from clusterwright.sizing.shape import Experts, ModelShape, infer

DEFAULT_SEQ_LEN: Final = 4096
BATCH_RULE: Final = (
    "DeepSeek LLM 2024, arXiv:2401.02954, section 3.1: B = 0.2920 C^0.3271 tokens; the nearest "
    "power of two from 2^18 to 2^24, so that sequences divide among replicas"
)
BATCH_MIN_LOG2: Final = 18
BATCH_MAX_LOG2: Final = 24
COUNT_DIFFERS: Final = 0.05
"""Relative difference of stated and counted parameters above which there is a warning."""
LOW_BITS: Final = ("int8", "int4", "fp4")


@dataclass(frozen=True)
class Inputs:
    """Inputs of the estimate; tokens are a range if they follow from bytes of text."""

    shape: ModelShape
    tokens: float
    tokens_low: float
    tokens_high: float
    seq_len: int
    batch_tokens: float
    precision: str
    warnings: tuple[str, ...]


def resolve(goal: Goal, *, config: ModelShape | None = None) -> Inputs:
    """The inputs of the estimate.

    Parameters
    ----------
    goal:
        As parsed.
    config:
        The shape of a `config.json` that the caller has read (`hf_config.shape_from_config`).

    Raises
    ------
    GoalError
        The model or the tokens are missing, or contradict each other.
    """
    warnings: list[str] = []
    shape = _shape(goal, config, warnings)
    precision = _precision(goal)
    low, tokens, high = _tokens(goal, shape, warnings)
    seq_len = goal.seq_len
    if seq_len is None:
        usual = models.usual_seq_len(goal.model) if goal.model and config is None else None
        seq_len = usual or DEFAULT_SEQ_LEN
        warnings.append(f"sequence length not given: {seq_len:,} tokens assumed (--seq-len)")
    batch = goal.batch_tokens
    if batch is None:
        batch = default_batch(shape.active, tokens)
        if goal.kind in {"fine-tune", "lora", "qlora"}:
            batch = min(batch, 2.0**20)
        batch = max(batch, float(seq_len))
        warnings.append(
            f"batch not given: {human(batch)} tokens per step assumed (--batch-tokens; "
            f"{BATCH_RULE})"
        )
    if batch < seq_len:
        raise GoalError(
            f"a batch of {batch:,.0f} tokens is less than one sequence of {seq_len:,}",
            f"--batch-tokens {seq_len} or more, or a shorter --seq-len",
            field="batch_tokens",
        )
    share = attention_share(shape, seq_len)
    if share > 0.10:
        warnings.append(
            f"attention adds {share:.0%} to 6ND at {seq_len:,} tokens per sequence; it is part "
            "of the time, not of the numerator of the MFU"
        )
    return Inputs(shape, tokens, low, high, seq_len, batch, precision, tuple(warnings))


def default_batch(active: float, tokens: float) -> float:
    """Tokens per step for a training budget (`BATCH_RULE`)."""
    budget = six_n_d(active, tokens)
    best = round(math.log2(0.2920 * budget**0.3271))
    return float(2 ** min(BATCH_MAX_LOG2, max(BATCH_MIN_LOG2, best)))


def _shape(goal: Goal, config: ModelShape | None, warnings: list[str]) -> ModelShape:
    given = goal.shape
    base = config
    if base is None and goal.model is not None:
        base = models.model(goal.model)
    if base is not None:
        shape = replace(
            base,
            layers=given.layers or base.layers,
            hidden=given.hidden_size or base.hidden,
            ffn=given.ffn_size or base.ffn,
            heads=given.heads or base.heads,
            kv_heads=given.kv_heads or base.kv_heads,
            vocab=given.vocab_size or base.vocab,
        )
        shape = replace(
            shape,
            stated_params=goal.params or shape.stated_params,
            stated_active=goal.active_params or shape.stated_active,
        )
    elif goal.params is not None:
        shape = _from_params(goal, warnings)
    elif given.layers and given.hidden_size:
        shape = _from_sizes(goal, warnings)
    else:
        raise GoalError(
            "no model is given",
            "--model llama3-70b, --model path/to/config.json, --params 70B, or --layers and "
            "--hidden-size",
            field="model",
        )
    shape.check()
    _compare(shape, warnings)
    return shape


def _from_params(goal: Goal, warnings: list[str]) -> ModelShape:
    assert goal.params is not None
    given = goal.shape
    active = goal.active_params
    if given.experts and active is None:
        # About a quarter of a mixture of experts is attention, embeddings and shared weights.
        active = goal.params * (0.25 + 0.75 * (given.experts_per_token or 1) / given.experts)
    shape = infer(
        goal.params,
        active=active,
        layers=given.layers,
        hidden=given.hidden_size,
        heads=given.heads,
        kv_heads=given.kv_heads,
        vocab=given.vocab_size,
        name=f"{human(goal.params)} parameters",
    )
    if given.ffn_size:
        shape = replace(shape, ffn=given.ffn_size)
    if given.experts:
        shape = _with_stated_experts(goal, shape, warnings)
    sizes = {
        "layers": shape.layers,
        "hidden": shape.hidden,
        "heads": shape.heads,
        "kv_heads": shape.kv_heads,
        "vocab": shape.vocab,
    }
    words = [
        f"{field.replace('_', ' ')} {sizes[field]:,}" for field in shape.inferred if field in sizes
    ]
    if not given.ffn_size and not given.experts:
        words.append(f"MLP width {shape.ffn:,}")
    if shape.experts and not given.experts:
        words.append(f"{shape.experts.per_token} of {shape.experts.count} experts")
    if words:
        warnings.append(
            f"shape not given in full: {', '.join(words)} inferred from {human(goal.params)} "
            "parameters (give --layers, --hidden-size ... or --model)"
        )
    return shape


def _with_stated_experts(goal: Goal, shape: ModelShape, warnings: list[str]) -> ModelShape:
    """The given experts; a missing width is chosen to match the number of parameters."""
    experts = _experts(goal, shape)
    if goal.shape.expert_ffn_size is None:
        bare = replace(shape, experts=replace(experts, ffn=1), stated_params=None)
        left = shape.params - (bare.counted_params - bare.all_expert_params)
        per = experts.count * experts.layers * shape.matrices * shape.hidden
        width = round(left / per)
        if width < 1:
            raise GoalError(
                f"{experts.count} experts leave no width for each in {human(shape.params)} "
                "parameters",
                "fewer experts, a smaller hidden size, or more parameters",
                field="shape.experts",
            )
        experts = replace(experts, ffn=width)
        warnings.append(f"width of an expert not given: {width:,} (--expert-ffn-size)")
    shape = replace(shape, experts=experts, stated_active=goal.active_params)
    if goal.active_params is None:
        warnings.append(
            f"active parameters not given: {human(shape.active)} counted (--active-params)"
        )
    return shape


def _from_sizes(goal: Goal, warnings: list[str]) -> ModelShape:
    given = goal.shape
    assert given.layers is not None
    assert given.hidden_size is not None
    hidden = given.hidden_size
    heads = given.heads or max(1, hidden // 128)
    shape = ModelShape(
        name=f"{given.layers} layers of {hidden}",
        layers=given.layers,
        hidden=hidden,
        heads=heads,
        kv_heads=given.kv_heads or heads,
        ffn=given.ffn_size or round(8 * hidden / 3 / 256) * 256 or 4 * hidden,
        vocab=given.vocab_size or 128_000,
        head_dim=0 if hidden % heads == 0 else max(1, hidden // heads),
        source="given by its sizes",
    )
    if given.experts:
        shape = replace(shape, experts=_experts(goal, shape))
    warnings.append(f"parameters not given: {human(shape.params)} counted from the shape")
    return shape


def _experts(goal: Goal, shape: ModelShape) -> Experts:
    given = goal.shape
    assert given.experts is not None
    if given.experts_per_token is None:
        raise GoalError(
            f"the number of experts per token is missing for {given.experts} experts",
            "give --experts-per-token",
            field="shape.experts_per_token",
        )
    return Experts(
        count=given.experts,
        per_token=given.experts_per_token,
        ffn=given.expert_ffn_size or (shape.experts.ffn if shape.experts else shape.ffn),
        layers=shape.layers,
    )


def _compare(shape: ModelShape, warnings: list[str]) -> None:
    if shape.stated_params is None:
        return
    off = abs(shape.counted_params / shape.stated_params - 1)
    if off > COUNT_DIFFERS:
        warnings.append(
            f"{human(shape.stated_params)} parameters are stated, and the shape has "
            f"{human(shape.counted_params)}: the stated number is used and the "
            "layers are scaled to it"
        )


def _precision(goal: Goal) -> str:
    if goal.precision in LOW_BITS and goal.kind not in {"inference", "qlora"}:
        raise GoalError(
            f"training in {goal.precision} is not planned",
            "--precision bf16 or fp8; int8, int4 and fp4 are for inference and QLoRA's frozen "
            "weights, and reduce quality",
            field="precision",
        )
    if goal.kind == "qlora" and goal.precision in LOW_BITS:
        return "bf16"
    return goal.precision


def _tokens(goal: Goal, shape: ModelShape, warnings: list[str]) -> tuple[float, float, float]:
    if goal.tokens is not None:
        per_parameter = goal.tokens / shape.active
        if goal.kind == "from-scratch" and per_parameter < 5:
            best = human(datasets.chinchilla_tokens(shape.active))
            warnings.append(
                f"{per_parameter:.2g} tokens per parameter is far below compute-optimal: about "
                f"{best} ({datasets.CHINCHILLA})"
            )
        if goal.data is not None:
            if goal.data.name is not None:
                datasets.corpus(goal.data.name)  # an unknown name is an error all the same
            warnings.append("tokens are given: the size of the data set is not used")
        return goal.tokens, goal.tokens, goal.tokens
    if goal.data is None:
        optimal = human(datasets.chinchilla_tokens(shape.active))
        raise GoalError(
            "tokens are missing",
            f"compute-optimal for {human(shape.active)} parameters are about {optimal} "
            f"({datasets.CHINCHILLA}): --tokens {optimal}, or data in goal.yaml",
            field="tokens",
        )
    data = goal.data
    if data.name is not None:
        known = datasets.corpus(data.name)
        if known.estimated or known.note:
            warnings.append(f"{known.name}: {known.note or 'tokens and size are estimates'}")
        total = known.tokens * data.epochs
        return total, total, total
    if data.bytes is None:
        raise GoalError(
            "data without a name or a size", "give data.name or data.bytes", field="data"
        )
    found = datasets.tokens_of_text(data.bytes * data.epochs, data.language)
    warnings.append(
        f"{human(data.bytes)} bytes of {data.language} text are {human(found.p10)} to "
        f"{human(found.p90)} tokens, by tokenizer; {human(found.p50)} assumed"
    )
    return found.p10, found.p50, found.p90
