"""The shape of a transformer, and its parameters, total and active.

Parameter counts follow Megatron-LM's `theoretical_memory_usage.py` (dense, grouped-query, latent
attention, mixture of experts with shared experts), which counts norms and no biases.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from clusterwright.sizing.errors import GoalError

KAPLAN: Final = "Kaplan et al. 2020, arXiv:2001.08361, section 3.1: 12 * layers * hidden^2"
WIDTH_PER_LAYER: Final = 115
"""Ratio of hidden size to layers in known models: 102 (70B) to 130 (405B)."""


@dataclass(frozen=True)
class Experts:
    """The routed layers of a mixture of experts.

    Attributes
    ----------
    count, per_token:
        Routed experts of a layer, and how many of them are active per token.
    ffn:
        Inner width of one expert.
    shared_ffn:
        Inner width of all shared experts of a layer together; 0 without any.
    layers:
        Layers that are routed; the others are dense with the model's `ffn`.
    """

    count: int
    per_token: int
    ffn: int
    shared_ffn: int = 0
    layers: int = 0


@dataclass(frozen=True)
class LatentAttention:
    """DeepSeek's multi-head latent attention; sizes per head, ranks of the projections."""

    kv_rank: int
    nope_head: int
    rope_head: int
    value_head: int
    query_rank: int | None = None


@dataclass(frozen=True)
class ModelShape:
    """A decoder-only transformer.

    `stated_params` and `stated_active` are what the user or the model's authors state; they win
    over the count (for a shape that was inferred, the count comes within rounding of them).

    Attributes
    ----------
    ffn:
        Inner width of a dense layer's MLP; three matrices if `gated`, else two.
    inferred:
        Fields that were not given but chosen by `infer`.
    """

    name: str
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    ffn: int
    vocab: int
    head_dim: int = 0
    gated: bool = True
    tied: bool = False
    experts: Experts | None = None
    latent: LatentAttention | None = None
    stated_params: float | None = None
    stated_active: float | None = None
    source: str = ""
    inferred: tuple[str, ...] = ()

    # -- attention ----------------------------------------------------------------------------

    @property
    def head_width(self) -> int:
        """Width of one head."""
        return self.head_dim or self.hidden // self.heads

    @property
    def attention_width(self) -> int:
        """Width of all query heads together; the `d` of the attention's s^2 term."""
        if self.latent is not None:
            # Scores are over nope + rope, values over value_head: the mean is what s^2 costs.
            latent = self.latent
            return self.heads * (latent.nope_head + latent.rope_head + latent.value_head) // 2
        return self.heads * self.head_width

    @cached_property
    def attention_params(self) -> int:
        """Parameters of one layer's attention."""
        h = self.hidden
        if self.latent is None:
            kv = 2 * self.kv_heads * self.head_width
            return h * (2 * self.heads * self.head_width + kv)
        m = self.latent
        key = m.nope_head + m.rope_head
        query = (
            h * self.heads * key
            if m.query_rank is None
            else m.query_rank * (h + self.heads * key + 1)
        )
        keys_and_values = m.kv_rank * (h + self.heads * (m.nope_head + m.value_head) + 1)
        return query + keys_and_values + h * m.rope_head + self.heads * m.value_head * h

    # -- MLP and the rest -----------------------------------------------------------------------

    @property
    def matrices(self) -> int:
        """Matrices of one MLP: 3 with a gate, else 2."""
        return 3 if self.gated else 2

    @property
    def dense_layers(self) -> int:
        """Layers without experts."""
        return self.layers - (self.experts.layers if self.experts else 0)

    @cached_property
    def dense_layer_params(self) -> int:
        """Parameters of a dense layer: attention, MLP, two norms."""
        return self.attention_params + self.matrices * self.hidden * self.ffn + 2 * self.hidden

    @property
    def expert_params(self) -> int:
        """Parameters of one routed expert."""
        return 0 if self.experts is None else self.matrices * self.hidden * self.experts.ffn

    @cached_property
    def routed_layer_common_params(self) -> int:
        """A routed layer without its routed experts: attention, shared experts, router, norms."""
        if self.experts is None:
            return 0
        shared = self.matrices * self.hidden * self.experts.shared_ffn
        router = self.hidden * self.experts.count
        return self.attention_params + shared + router + 2 * self.hidden

    @property
    def embedding_params(self) -> int:
        """One embedding; the output head is a second one unless `tied`."""
        return self.vocab * self.hidden

    @cached_property
    def common_block_params(self) -> int:
        """All layers without routed experts, with the final norm."""
        routed = self.experts.layers * self.routed_layer_common_params if self.experts else 0
        return self.dense_layers * self.dense_layer_params + routed + self.hidden

    @cached_property
    def all_expert_params(self) -> int:
        """All routed experts of all layers."""
        if self.experts is None:
            return 0
        return self.experts.layers * self.experts.count * self.expert_params

    @cached_property
    def counted_params(self) -> int:
        """Every parameter, counted from the shape."""
        embeddings = self.embedding_params * (1 if self.tied else 2)
        return self.common_block_params + self.all_expert_params + embeddings

    @property
    def counted_active(self) -> int:
        """Active parameters with the input embedding, as model cards count them."""
        if self.experts is None:
            return self.counted_params
        idle = self.experts.layers * (self.experts.count - self.experts.per_token)
        return self.counted_params - idle * self.expert_params

    @property
    def params(self) -> float:
        """All parameters: as stated, else as counted."""
        return self.stated_params or float(self.counted_params)

    @property
    def active(self) -> float:
        """Active parameters (the N of 6ND): as stated, else as counted."""
        if self.stated_active:
            return self.stated_active
        if self.experts is None:
            return self.params
        return float(self.counted_active)

    @property
    def matmul_params(self) -> float:
        """Active parameters in matrix products: without the input embedding, a look-up.

        Models with a stated size keep it: the difference is spread over the layers.
        """
        looked_up = 0 if self.tied else self.embedding_params
        return max(self.active - looked_up, 0.5 * self.active)

    @property
    def is_moe(self) -> bool:
        """A mixture of experts."""
        return self.experts is not None

    @property
    def kv_values_per_token(self) -> int:
        """Values in the KV cache per token, all layers."""
        if self.latent is not None:
            return self.layers * (self.latent.kv_rank + self.latent.rope_head)
        return self.layers * 2 * self.kv_heads * self.head_width

    def check(self) -> None:
        """Reject a shape that frameworks do not support.

        Raises
        ------
        GoalError
            A size is not positive, heads do not divide, or a token needs more experts than exist.
        """
        for field in ("layers", "hidden", "heads", "kv_heads", "ffn", "vocab"):
            if getattr(self, field) <= 0:
                raise GoalError(
                    f"{field} is {getattr(self, field)}", "must be at least 1", field=field
                )
        if self.latent is None and self.heads % self.kv_heads:
            raise GoalError(
                f"{self.heads} heads are not a multiple of {self.kv_heads} KV heads",
                f"grouped-query attention requires a divisor of {self.heads}",
                field="kv_heads",
            )
        if not self.head_dim and self.latent is None and self.hidden % self.heads:
            raise GoalError(
                f"hidden size {self.hidden} is not a multiple of {self.heads} heads",
                "give --heads that divide it, or the head's own size in config.json",
                field="heads",
            )
        if self.experts is not None:
            e = self.experts
            if not 0 < e.per_token <= e.count:
                raise GoalError(
                    f"{e.per_token} of {e.count} experts per token",
                    "experts per token must be from 1 to the number of experts",
                    field="experts_per_token",
                )
            if not 0 < e.layers <= self.layers:
                raise GoalError(f"{e.layers} of {self.layers} layers are routed", field="experts")


def infer(
    params: float,
    *,
    active: float | None = None,
    layers: int | None = None,
    hidden: int | None = None,
    heads: int | None = None,
    kv_heads: int | None = None,
    vocab: int | None = None,
    name: str = "",
) -> ModelShape:
    """Infer a shape from a parameter count; chosen sizes are listed in `inferred`.

    Depth and width follow 12 * layers * hidden^2 parameters (Kaplan et al.) with 115 of width per
    layer as in the models of our table; for a mixture of experts they follow the active
    parameters. The MLP's width then matches the count.

    Parameters
    ----------
    params, active:
        All and active parameters; `active` only for a mixture of experts.

    Raises
    ------
    GoalError
        Active parameters exceed the total, or the given sizes contradict the count.
    """
    active = _active(params, active)
    chosen: list[str] = []
    reference = active if active is not None else params

    def choose(field: str, given: int | None, value: int) -> int:
        if given is None:
            chosen.append(field)
            return value
        return given

    if layers is None and hidden is None:
        depth = max(2, round((reference / (12 * WIDTH_PER_LAYER**2)) ** (1 / 3) / 2) * 2)
        layers = choose("layers", None, depth)
    if hidden is None:
        assert layers is not None
        width = math.sqrt(reference / (12 * layers))
        step = _width_step(width)
        hidden = choose("hidden", None, max(step, round(width / step) * step))
    if layers is None:
        layers = choose("layers", None, max(1, round(reference / (12 * hidden**2))))
    # A vocabulary of usual size, at most a quarter of a small model.
    usual = 32_000 if reference < 2e9 else 128_000
    vocab = choose("vocab", vocab, min(usual, max(256, int(reference / 4 / hidden))))
    heads = choose("heads", heads, max(1, hidden // 128))
    kv_heads = choose("kv_heads", kv_heads, 8 if heads % 8 == 0 and heads > 8 else heads)
    shape = ModelShape(
        name=name or "given by its size",
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=kv_heads,
        ffn=hidden,
        vocab=vocab,
        head_dim=0 if hidden % heads == 0 else max(1, hidden // heads),
        stated_params=params,
        stated_active=active,
        source=f"inferred: {KAPLAN}",
        inferred=tuple(chosen),
    )
    shape.check()
    return _with_experts(shape, params, active) if active is not None else _dense(shape, params)


def _active(params: float, active: float | None) -> float | None:
    if active is None or active == params:
        return None
    if active > params:
        raise GoalError(
            f"{active:.3g} active parameters exceed the total of {params:.3g}",
            "active parameters are those used per token: fewer than the total",
            field="active_params",
        )
    return active


def _dense(shape: ModelShape, params: float) -> ModelShape:
    embeddings = shape.embedding_params * 2
    tied = embeddings > 0.4 * params
    left = params - (embeddings // 2 if tied else embeddings)
    per_layer = left / shape.layers - shape.attention_params - 2 * shape.hidden
    ffn = round(per_layer / (3 * shape.hidden))
    if ffn < max(16, shape.hidden // 8):
        raise GoalError(
            f"{shape.layers} layers of width {shape.hidden} and a vocabulary of {shape.vocab} "
            f"tokens leave no parameters for an MLP of {params:.3g} parameters",
            "give fewer layers, a smaller hidden size, or more parameters",
            field="hidden",
        )
    return replace(shape, ffn=ffn, tied=tied)


def _with_experts(shape: ModelShape, params: float, active: float) -> ModelShape:
    """Experts that match both counts; all layers routed, no shared expert."""
    ratio = params / active
    per_token = 2 if ratio < 3.65 else 4 if ratio < 4.5 else 8
    embeddings = shape.embedding_params * 2
    step = _width_step(shape.hidden)
    for hidden in range(shape.hidden, step - 1, -step):
        candidate = replace(
            shape,
            hidden=hidden,
            heads=max(1, hidden // 128) if "heads" in shape.inferred else shape.heads,
        )
        if "kv_heads" in shape.inferred:
            many = candidate.heads % 8 == 0 and candidate.heads > 8
            candidate = replace(candidate, kv_heads=8 if many else candidate.heads)
        embeddings = candidate.embedding_params * 2
        common = candidate.layers * (candidate.attention_params + 2 * hidden) + embeddings
        if common < 0.45 * active or "hidden" not in shape.inferred:
            break
    routed = (active - common) / candidate.layers
    if routed <= 0:
        raise GoalError(
            f"attention and embeddings alone exceed {active:.3g} active parameters",
            "give fewer layers, a smaller hidden size, or more active parameters",
            field="active_params",
        )
    width = max(1, round(routed / (3 * candidate.hidden * per_token)))
    exact = (params - common) / candidate.layers / (3 * candidate.hidden * width)
    # Expert parallelism divides the experts: a multiple of 8 if there are enough of them. The
    # width makes up for the rounding, so that memory is right.
    count = max(per_token, round(exact / 8) * 8 if exact >= 12 else round(exact))
    width = max(1, round((params - common) / candidate.layers / (3 * candidate.hidden * count)))
    return replace(
        candidate,
        ffn=width,
        experts=Experts(count=count, per_token=per_token, ffn=width, layers=candidate.layers),
        inferred=(*shape.inferred, "experts", "experts_per_token"),
    )


def _width_step(width: float) -> int:
    """A number of heads of width 128 that tensor parallelism can divide."""
    return 1024 if width >= 3584 else 256 if width >= 768 else 128 if width >= 192 else 32
