"""Rules of MLPerf Training's language models: batches, learning rates, evaluation, target.

Sources: mlcommons/training_policies, training_rules.adoc of 2026-05-14 (hyperparameters,
"hyperparameter constraints", evaluation frequency, "RCP Rules"), and the package mlperf-logging
4.1.68: compliance_checker/training_RULESET, rcp_checker/training_RULESET (reference convergence
points, RCP) and submission_runs of rcp_checker.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Final

CHECKER: Final = "mlperf-logging==4.1.68"
"""The package whose rules were read."""


@dataclass(frozen=True)
class Point:
    """A reference convergence point: what the reference's runs needed with a batch.

    Attributes
    ----------
    samples:
        Sequences to converge, of each run, in increasing order.
    learning_rate, warmup:
        Of the runs; the warm-up in steps, None where the rules define it.
    """

    samples: tuple[int, ...]
    learning_rate: float
    warmup: int | None = None

    @property
    def mean(self) -> float:
        """Without the fastest and the slowest run, as the checker compares."""
        return fmean(self.samples[1:-1])


@dataclass(frozen=True)
class Benchmark:
    """A benchmark.

    Attributes
    ----------
    name, ruleset:
        As in a log and of the checker, which has to be pinned: its default moves on, and drops
        benchmarks.
    model:
        The planner's name.
    runs:
        Of a submission; the fastest and the slowest are dropped.
    seq_len, target:
        Tokens of a sequence; log perplexity to reach.
    evaluate_every, eval_samples:
        In sequences; the second is None where the rules leave it to the reference.
    points:
        By global batch in sequences.
    rates:
        Learning rates by batch, where the rules allow no other batches.
    scaled:
        Rate and batch, where the rate is proportional to the batch; this batch is the smallest.
    largest:
        Largest batch of the rules; None without one.
    """

    name: str
    ruleset: str
    model: str
    runs: int
    seq_len: int
    target: float
    evaluate_every: int
    eval_samples: int | None
    points: Mapping[int, Point]
    rates: Mapping[int, float] | None = None
    scaled: tuple[float, int] | None = None
    largest: int | None = None


class RuleError(Exception):
    """A setting that the rules do not allow; `hint` has what they do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def learning_rate(benchmark: Benchmark, batch: int, stated: float | None) -> float:
    """The peak learning rate of a batch.

    Raises
    ------
    RuleError
        The batch or the stated rate is not legal.
    """
    constrained = _constrained(benchmark, batch)
    if constrained is not None:
        if stated is not None and stated != constrained:
            raise RuleError(
                f"a learning rate of {stated:g}, and that of batch {batch} is {constrained:g}",
                f"{constrained:g}, or leave it out",
            )
        return constrained
    if stated is not None:
        return stated
    if batch not in benchmark.points:
        raise RuleError(
            f"the learning rate of a global batch of {batch} is not stated, and no reference "
            "convergence point has it",
            f"state it, or a batch of {_listed(benchmark.points)}",
        )
    return benchmark.points[batch].learning_rate


def _constrained(benchmark: Benchmark, batch: int) -> float | None:
    """The only rate of a batch; None where it is free. Raises RuleError."""
    if benchmark.rates is not None:
        if batch not in benchmark.rates:
            raise RuleError(
                f"a global batch of {batch} is not one of {benchmark.name}'s rules",
                f"one of {_listed(benchmark.rates)}",
            )
        return benchmark.rates[batch]
    if benchmark.scaled is None:
        return None
    rate, smallest = benchmark.scaled
    if batch < smallest or batch > (benchmark.largest or batch):
        raise RuleError(
            f"a global batch of {batch}, and {benchmark.name} has rules for {smallest} to "
            f"{benchmark.largest}",
            f"such as {_listed(benchmark.points)}",
        )
    found = round(rate * (batch / smallest), 8)
    # compliance_checker, training_6.0.0/closed_llama31_405b.yaml, compares without rounding.
    if found * smallest != batch * rate:
        raise RuleError(
            f"a global batch of {batch}: its learning rate, rounded to 8 places as the rules say, "
            f"is not what the checker of ruleset {benchmark.ruleset} expects",
            f"such as {_listed(benchmark.points)}",
        )
    return found


def _listed(batches: Iterable[int]) -> str:
    return ", ".join(str(each) for each in batches)


def expected(benchmark: Benchmark, batch: int) -> tuple[float, float, float] | None:
    """Sequences to converge: the fewest, the mean and the most of the reference's runs.

    Between two batches interpolated, as the checker does. None above the largest and below the
    smallest, for which no runs of the reference exist.
    """
    batches = sorted(benchmark.points)
    if not batches[0] <= batch <= batches[-1]:
        return None
    low = max(each for each in batches if each <= batch)
    high = min(each for each in batches if each >= batch)
    first, second = benchmark.points[low], benchmark.points[high]
    share = (batch - low) / (high - low) if high > low else 0.0
    pairs = (
        (first.samples[0], second.samples[0]),
        (first.mean, second.mean),
        (first.samples[-1], second.samples[-1]),
    )
    fewest, mean, most = (a + share * (b - a) for a, b in pairs)
    return fewest, mean, most


def _tokens(rate: float, *tokens: int) -> Point:
    """A point in tokens, of sequences of 2,048."""
    return Point(tuple(each // 2048 for each in tokens), rate)


GPT3: Final = Benchmark(
    name="gpt3",
    ruleset="4.1.0",
    model="gpt3-175b",
    runs=3,
    seq_len=2048,
    target=2.69,
    evaluate_every=24576,
    eval_samples=None,
    points={
        1536: _tokens(2e-5, *(3 * [1157627904]), 1207959552, *(2 * [1258291200])),
        2048: _tokens(2e-5, *(4 * [1157627904]), *(3 * [1207959552])),
        3072: _tokens(2e-5, *(5 * [1207959552]), 1258291200, 13790871552),
        4096: _tokens(3e-5, *(5 * [1258291200]), 1308622848),
        6144: _tokens(3e-5, *(6 * [1409286144])),
        8192: _tokens(3e-5, *(4 * [1610612736]), *(2 * [1660944384])),
    },
    rates={1536: 2e-5, 2048: 2e-5, 3072: 2e-5, 4096: 3e-5, 8192: 3e-5},
)
"""In rounds up to 4.1. One run of batch 3072 has ten times the tokens of the others: it looks like
a slip, and the mean drops it."""

LLAMA31_405B: Final = Benchmark(
    name="llama31_405b",
    ruleset="6.0.0",
    model="llama3.1-405b",
    runs=3,
    seq_len=8192,
    target=5.6,
    evaluate_every=18432,
    eval_samples=5760,
    points={
        1152: Point((294912, *(4 * [313344]), 331776), 8e-5),
        2304: Point((350208, *(4 * [368640]), 387072), 16e-5),
        4608: Point((460800, 479232, *(4 * [497664])), 32e-5),
    },
    scaled=(8e-5, 1152),
    largest=9216,
)
"""In rounds 5.0 to 6.0."""

LLAMA31_8B: Final = Benchmark(
    name="llama31_8b",
    ruleset="6.0.0",
    model="llama3.1-8b",
    runs=10,
    seq_len=8192,
    target=3.3,
    evaluate_every=12288,
    eval_samples=1024,
    points={
        16: Point((*(17 * [159744]), *(3 * [172032])), 4e-4, 16),
        32: Point((*(9 * [172032]), *(10 * [184320]), 196608), 8e-4, 128),
        64: Point(
            (*(4 * [208896]), *(4 * [221184]), *(11 * [233472]), 245760),
            8e-4,
            96,
        ),
        96: Point(
            (*(2 * [260064]), *(10 * [272448]), *(4 * [284832]), *(4 * [297216])),
            1e-3,
            171,
        ),
        128: Point(
            (
                *(2 * [307200]),
                *(2 * [319488]),
                *(4 * [331776]),
                *(4 * [344064]),
                *(3 * [356352]),
                *(3 * [368640]),
                380928,
                405504,
            ),
            2e-3,
            256,
        ),
    },
)
"""In rounds from 5.1. Batch, learning rate and warm-up are free; the points have those of the
reference's runs (their warm-up is stated in sequences)."""

ALL: Final = (GPT3, LLAMA31_405B, LLAMA31_8B)
