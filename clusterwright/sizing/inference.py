"""A smaller model that is trained for longer, and its break-even in inference tokens.

Loss by Hoffmann et al. 2022 (arXiv:2203.15556, section 3.3): L = 1.69 + 406.4 / N^0.34 +
410.7 / D^0.28. Total work by Sardana et al. 2024 (arXiv:2401.00448): 6 N D to train and 2 N for
every token of inference. The fit's constants are disputed (Besiroglu et al. 2024,
arXiv:2404.10102), so the answer is an indication, not a prediction for a model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from clusterwright.sizing.errors import GoalError

IRREDUCIBLE: Final = 1.69
A: Final = 406.4
ALPHA: Final = 0.34
B: Final = 410.7
BETA: Final = 0.28
TOKENS_PER_PARAMETER: Final = 20.0
"""The rule of thumb of the same paper (table 3: 70B and 1.4T)."""
SMALLEST_SHARE: Final = 0.05


@dataclass(frozen=True)
class Pair:
    """A model and its tokens, with their FLOPs."""

    params: float
    tokens: float
    loss: float
    training_flops: float
    total_flops: float


@dataclass(frozen=True)
class InferenceAware:
    """A compute-optimal and an inference-aware model of the same predicted loss.

    Attributes
    ----------
    break_even_tokens:
        Inference tokens from which the smaller model costs less in total; `None` if both are
        the same.
    saved_share:
        Share of the total FLOPs of the first, at the stated inference tokens.
    """

    compute_optimal: Pair
    inference_aware: Pair
    inference_tokens: float
    break_even_tokens: float | None
    saved_share: float


def loss(params: float, tokens: float) -> float:
    """Hoffmann's parametric loss, nats per token."""
    return IRREDUCIBLE + A * math.pow(params, -ALPHA) + B * math.pow(tokens, -BETA)


def tokens_for(target: float, params: float) -> float | None:
    """Tokens at which a model reaches a loss; `None` if it never does."""
    left = target - IRREDUCIBLE - A * math.pow(params, -ALPHA)
    if left <= 0:
        return None
    exponent = (math.log(B) - math.log(left)) / BETA
    return math.exp(exponent) if exponent < 700 else None


def break_even_tokens(
    params: float, tokens: float, other_params: float, other_tokens: float
) -> float | None:
    """Inference tokens at which two trainings cost the same: 6 (N1 D1 - N0 D0) / (2 (N0 - N1)).

    `None` if the models have one size, or the smaller one costs less from the start.
    """
    if other_params == params:
        return None
    found = 6 * (other_params * other_tokens - params * tokens) / (2 * (params - other_params))
    return found if found > 0 else None


def compare(params: float, inference_tokens: float, tokens: float | None = None) -> InferenceAware:
    """The model of least total compute at the loss of a model of `params`.

    Parameters
    ----------
    params:
        Of the compute-optimal model.
    inference_tokens:
        Over the life of the model.
    tokens:
        Of training; by default 20 per parameter.

    Raises
    ------
    GoalError
        A number is not positive.
    """
    for name, value in (("params", params), ("inference tokens", inference_tokens)):
        if not 0 < value < math.inf:
            raise GoalError(f"{name} are {value:g}", "must be positive", field="inference_tokens")
    trained = tokens or TOKENS_PER_PARAMETER * params
    target = loss(params, trained)
    first = _pair(params, trained, inference_tokens)
    best = first
    # Log-spaced sizes, refined around the best: total work has one minimum in N.
    low, high = SMALLEST_SHARE * params, 2 * params
    for _ in range(4):
        step = (high / low) ** (1 / 64)
        sizes = [low * step**index for index in range(65)]
        for size in sizes:
            needed = tokens_for(target, size)
            if needed is None:
                continue
            pair = _pair(size, needed, inference_tokens)
            if pair.total_flops < best.total_flops:
                best = pair
        low, high = best.params / step, best.params * step
    return InferenceAware(
        compute_optimal=first,
        inference_aware=best,
        inference_tokens=inference_tokens,
        break_even_tokens=break_even_tokens(params, trained, best.params, best.tokens),
        saved_share=1 - best.total_flops / first.total_flops,
    )


def _pair(params: float, tokens: float, inference_tokens: float) -> Pair:
    training = 6 * params * tokens
    return Pair(
        params, tokens, loss(params, tokens), training, training + 2 * params * inference_tokens
    )
