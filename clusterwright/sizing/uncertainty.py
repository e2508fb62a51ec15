"""Uncertain inputs with their distributions, and the resulting days and goodput.

Each assumption is a log-normal distribution with separate widths below and above the median. It is
sampled by strata (each of n slices of probability once, in random order), so that a few thousand
samples give stable quantiles. The seed makes the result repeatable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from statistics import NormalDist
from types import MappingProxyType
from typing import Final

import numpy as np

from clusterwright.sizing import calibration, reliability, step
from clusterwright.sizing.flops import attention_flops_per_token
from clusterwright.sizing.hardware import Hardware
from clusterwright.sizing.layouts import Floats, Grid
from clusterwright.sizing.plan_types import Assumption, Quantiles, StackName, Swing
from clusterwright.sizing.shape import ModelShape
from clusterwright.sizing.step import Conditions, Constants

SAMPLES: Final = 4096
Z90: Final = NormalDist().inv_cdf(0.9)
INTERVAL_HOURS_MAX: Final = 4.0
"""Longest interval between checkpoints, however rare failures are (BLOOM: 3 hours)."""
MEDIAN_TUNED: Final = 0.5
"""Tuning of a good production stack, between framework defaults (0) and a vendor's recipe (1)."""

THROUGHPUT: Final = "throughput"
"""The assumption that replaces those of the step where the throughput was measured."""
OF_THE_STEP: Final = frozenset(
    {"model_error", "practice", "stack", "network", "hidden", "imbalance"}
)
"""Assumptions that only the throughput depends on."""

UNSEEN_CHIP: Final = 0.20
"""Added (in squares) for a chip without benchmarks: the fitted shares of the ceiling of A100 and
H100 differ by this much (`kernel_ampere` 1.2)."""

VERY_LARGE_PARAMS: Final = 100e9
"""Dense models from this size on have a wider interval towards faster runs."""
VERY_LARGE_GAIN: Final = 1.08
VERY_LARGE_FASTER: Final = 0.3


@dataclass(frozen=True)
class Stack:
    """A training stack: what is assumed about it.

    Attributes
    ----------
    tuning:
        0 framework defaults, 1 the vendor's recipe.
    hidden:
        Share of the experts' all-to-all that overlaps with computation.
    dense, moe:
        Factors on the median production throughput of dense models and mixtures of experts.
    slower, faster:
        Spread of production throughput below and above its median, added in squares.
    moe_spread:
        The same for a mixture of experts, on both sides.
    """

    tuning: Quantiles
    hidden: Quantiles
    dense: float
    moe: float
    slower: float
    faster: float
    moe_spread: float


STACKS: Final[dict[StackName | None, Stack]] = {
    None: Stack(Quantiles(0.1, 0.5, 0.9), Quantiles(0.05, 0.4, 0.9), 0.94, 1.3, 0.26, 0.14, 0.4),
    "as-it-comes": Stack(
        Quantiles(0.0, 0.2, 0.5), Quantiles(0.05, 0.2, 0.6), 0.9, 0.9, 0.22, 0.1, 0.25
    ),
    "tuned": Stack(
        Quantiles(0.3, 0.6, 0.9), Quantiles(0.2, 0.5, 0.85), 0.95, 1.2, 0.22, 0.12, 0.25
    ),
    "frontier": Stack(
        Quantiles(0.7, 1.0, 1.2), Quantiles(0.6, 0.85, 0.95), 1.08, 1.5, 0.22, 0.1, 0.25
    ),
}
"""By `--stack`; `None` is an unknown stack, whose interval spans the others."""

_BENCHMARK_GAP: Final = (
    "benchmarks run minutes on healthy nodes with the best of many settings, balanced experts and "
    "current software; "
)


@dataclass(frozen=True)
class Work:
    """The step time of one layout, for samples.

    `balanced` and `doubled` are the rows of `step.times` with an imbalance of the experts of 1 and
    2, without tuning; samples interpolate linearly.
    """

    balanced: Floats
    doubled: Floats
    tokens_per_step: float
    accelerators: int
    nodes: int
    active: float
    work_flops_per_token: float
    peak_flops: float
    ceiling: float
    tuned_gain: float


@dataclass(frozen=True)
class RunOutcome:
    """Arrays over the samples."""

    days: Floats
    in_run_mfu: Floats
    goodput: Floats
    whole_run_mfu: Floats


def assumptions(
    shape: ModelShape,
    hardware: Hardware,
    nodes: int,
    *,
    recovery: str,
    stack: StackName | None = None,
) -> tuple[Assumption, ...]:
    """Every uncertain input for this model on this hardware, with its reasons.

    Parameters
    ----------
    stack:
        How well the training stack is tuned; `None` if that is not known, with wide intervals.
    """
    known = STACKS[stack]
    return (
        _model_error(shape, hardware),
        _practice(shape, hardware, known),
        Assumption(
            "stack",
            "tuning of the training stack (0 framework defaults, 1 the vendor's recipe)",
            "",
            known.tuning,
            "normal",
            "between torchtitan and llm-foundry at one end and Megatron-Bridge at the other"
            + (f"; --stack {stack}" if stack else ""),
            "data/benchmarks.json",
        ),
        Assumption(
            "network",
            "collective bandwidth relative to the model",
            "x",
            Quantiles(0.65, 0.9, 1.05),
            "log-normal",
            "placement, congestion and rails; benchmarks ran on dedicated clusters",
            "assumed; MLPerf's strong scaling loses a third per GPU over 23 times the GPUs",
        ),
        *(_experts(known) if shape.is_moe else ()),
        _failures(nodes),
        Assumption(
            "restart",
            f"minutes from a failure until training continues, {recovery} recovery",
            "min",
            reliability.RECOVERY_MINUTES[recovery],
            "log-normal",
            "detection, scheduling, start, loading",
            reliability.RECOVERY_SOURCE[recovery],
        ),
        *_OPERATION,
    )


def _experts(stack: Stack) -> tuple[Assumption, ...]:
    """Of a mixture of experts only."""
    return (
        Assumption(
            "hidden",
            "share of the experts' all-to-all that overlaps with computation",
            "",
            stack.hidden,
            "log-normal",
            "stacks written for one model overlap nearly all of it with another micro-batch, "
            "frameworks with default settings none of what the fit sees",
            "DeepSeek-V3, arXiv:2412.19437, section 3.2.1 (DualPipe); Megatron-Core, overlap of "
            "expert communication in 1F1B",
        ),
        Assumption(
            "imbalance",
            "load of the busiest expert rank over the mean",
            "x",
            Quantiles(1.03, 1.15, 1.5),
            "log-normal",
            "benchmarks force the balance; routers are balanced by losses only",
            "Megatron-Bridge performance summary: `we force-balance the token distribution`",
        ),
    )


_OPERATION: Final = (
    Assumption(
        "save",
        "seconds that a checkpoint blocks training",
        "s",
        reliability.BLOCKING_SAVE_SECONDS,
        "log-normal",
        "a copy to host memory, or the whole write; BLOOM: 40 s for 2.3 TB",
        "second-hand: published accounts of the BLOOM run",
    ),
    Assumption(
        "interval",
        "checkpoint interval relative to Young's optimum",
        "x",
        Quantiles(0.7, 1.3, 4.0),
        "log-normal",
        "teams save hourly or every 3 hours, less often than the optimum",
        "Kokolis et al. 2025 (hourly); BLOOM (3 h)",
    ),
    Assumption(
        "programme",
        "share of the time that is the run: without launch, tuning, evaluation, failed starts, "
        "rolled-back loss spikes",
        "",
        Quantiles(0.77, 0.88, 0.95),
        "log-normal",
        "published ratios of whole-run to in-run time are 0.76 to 0.91, failures included; "
        "failures are counted separately",
        "second-hand: ratios of published runs, see docs/explanations/how-a-plan-is-made.md",
    ),
)


def work_of(
    shape: ModelShape,
    hardware: Hardware,
    grid: Grid,
    column: int,
    *,
    seq_len: int,
    precision: str,
    accelerators: int,
    constants: Constants,
    trainable_share: float = 1.0,
) -> Work:
    """One layout of a grid, prepared for sampling."""
    chosen = grid.take(np.array([column]))

    def rows(imbalance: float) -> Floats:
        parts = step.times(
            shape,
            hardware,
            chosen,
            constants,
            seq_len=seq_len,
            precision=precision,
            conditions=Conditions(tuned=0.0, imbalance=imbalance),
            trainable_share=trainable_share,
        )
        return np.asarray(parts[:, 0])

    tokens = float(chosen.data[0] * chosen.micro_batch[0] * chosen.accumulation[0] * seq_len)
    again = 1 + float(step.recomputed_share(chosen)[0]) / 3
    operations = 6.0 if trainable_share >= 1 else 4.0 + 2.0 * trainable_share
    flops = operations * shape.matmul_params + attention_flops_per_token(shape, seq_len)
    balanced = rows(1.0)
    return Work(
        balanced=balanced,
        doubled=rows(2.0) if shape.is_moe else balanced,
        tokens_per_step=tokens,
        accelerators=accelerators,
        # Idle accelerators do not interrupt the run.
        nodes=max(1, -(-int(chosen.accelerators[0]) // hardware.per_node)),
        active=shape.active,
        work_flops_per_token=flops * again,
        peak_flops=hardware.peak_tflops(precision) * 1e12,
        ceiling=hardware.ceiling,
        tuned_gain=constants.tuned,
    )


@lru_cache(maxsize=32)
def sample(
    found: tuple[Assumption, ...], *, seed: int, samples: int = SAMPLES
) -> Mapping[str, Floats]:
    """Stratified samples of every assumption, by key; the same seed gives the same arrays.

    Most options of a plan have equal assumptions and share the arrays, which are read-only.
    """
    rng = np.random.default_rng(seed)
    deviates = strata(samples)
    drawn = {a.key: quantile(a, rng.permutation(deviates)) for a in found}
    for values in drawn.values():
        values.setflags(write=False)
    return MappingProxyType(drawn)


def quantile(assumption: Assumption, z: Floats) -> Floats:
    """Values of an assumption at standard normal deviates."""
    low, mid, high = assumption.values.p10, assumption.values.p50, assumption.values.p90
    if assumption.distribution == "normal":
        width = np.where(z < 0.0, (mid - low) / Z90, (high - mid) / Z90)
        return np.asarray(mid + z * width)
    spread = np.where(z < 0.0, np.log(mid / low) / Z90, np.log(high / mid) / Z90)
    return np.asarray(mid * np.exp(z * spread))


def evaluate(work: Work, tokens: float, values: Mapping[str, Floats]) -> RunOutcome:
    """Days, MFU and goodput for samples (or single points) of the assumptions."""
    rate = tokens_per_second(work, values) / work.accelerators
    in_run = 6 * work.active * rate / work.peak_flops
    mtti = reliability.mtti_hours(np.asarray(float(work.nodes)), values["failures"])
    save = values["save"] / 3600
    best = reliability.young_hours(save, mtti)
    interval = np.clip(best * values["interval"], 1 / 60, INTERVAL_HOURS_MAX)
    good = reliability.goodput(mtti, values["restart"] / 60, interval, save)
    good = np.clip(good, 1e-3, 1.0)
    programme = np.clip(values["programme"], 0.05, 0.99)
    seconds = tokens / (rate * work.accelerators) / (good * programme)
    return RunOutcome(
        days=np.asarray(seconds / 86_400),
        in_run_mfu=np.asarray(in_run),
        goodput=np.asarray(good),
        whole_run_mfu=np.asarray(in_run * good * programme),
    )


def tokens_per_second(work: Work, values: Mapping[str, Floats]) -> Floats:
    """Of the whole cluster while training: measured (`THROUGHPUT`), or by the step model.

    No sample exceeds the matmul ceiling.
    """
    measured = values.get(THROUGHPUT)
    if measured is None:
        return np.asarray(work.tokens_per_step / _step_seconds(work, values))
    return np.minimum(measured, highest_tokens_per_second(work))


def highest_tokens_per_second(work: Work) -> float:
    """Of the whole cluster, at the matmul ceiling."""
    return work.tokens_per_step / _fastest_seconds(work)


def median_days(work: Work, tokens: float, found: tuple[Assumption, ...]) -> float:
    """Days with every assumption at its median."""
    medians = {a.key: np.array([a.values.p50]) for a in found}
    return float(evaluate(work, tokens, medians).days[0])


def tornado(work: Work, tokens: float, found: tuple[Assumption, ...]) -> tuple[Swing, ...]:
    """Each assumption at its P10 and P90, the others at their median; widest first."""
    size = 2 * len(found)
    values = {a.key: np.full(size, a.values.p50) for a in found}
    for index, a in enumerate(found):
        values[a.key][2 * index] = a.values.p10
        values[a.key][2 * index + 1] = a.values.p90
    days = evaluate(work, tokens, values).days
    swings = [
        Swing(
            a.key,
            a.text,
            float(min(days[2 * i], days[2 * i + 1])),
            float(max(days[2 * i], days[2 * i + 1])),
        )
        for i, a in enumerate(found)
    ]
    return tuple(sorted(swings, key=lambda swing: -swing.days))


def quantiles(values: Floats) -> Quantiles:
    """P10, P50 and P90."""
    p10, p50, p90 = (float(q) for q in np.quantile(values, (0.1, 0.5, 0.9)))
    return Quantiles(p10, p50, p90)


_COMPUTE: Final = slice(0, 4)
_NETWORK: Final = slice(4, 8)
_BUBBLE, _REDUCTION, _OPTIMIZER, _LATE = 8, 9, 10, 11
_EXPERT: Final = 5


def _step_seconds(work: Work, values: Mapping[str, Floats]) -> Floats:
    speed = values["model_error"] * values["practice"] * work.tuned_gain ** values["stack"]
    load = values["imbalance"] - 1 if "imbalance" in values else np.zeros_like(speed)
    a, b = work.balanced, work.doubled
    compute_a, network_a = a[_COMPUTE].sum(), a[_NETWORK].sum()
    compute = (compute_a + load * (b[_COMPUTE].sum() - compute_a)) / speed
    network = network_a + load * (b[_NETWORK].sum() - network_a)
    if "hidden" in values:
        hidden = np.clip(values["hidden"], 0.0, 0.95)
        network = network - hidden * (a[_EXPERT] + load * (b[_EXPERT] - a[_EXPERT]))
    network = network / values["network"]
    stages = compute + network
    # The bubble and the stragglers scale with the time of the stages.
    bubble = a[_BUBBLE] * stages / (compute_a + network_a)
    rest = bubble + a[_REDUCTION] / values["network"] + a[_OPTIMIZER]
    before = stages + rest
    late = a[_LATE] / (a.sum() - a[_LATE]) * before
    # No sample exceeds the matmul ceiling.
    seconds: Floats = np.maximum(before + late, _fastest_seconds(work))
    return seconds


def _fastest_seconds(work: Work) -> float:
    flops = work.work_flops_per_token * work.tokens_per_step
    return flops / (work.accelerators * work.peak_flops * work.ceiling)


@cache
def strata(samples: int) -> Floats:
    """Standard normal deviates at the centres of equal slices of probability."""
    normal = NormalDist()
    return np.array([normal.inv_cdf((i + 0.5) / samples) for i in range(samples)])


def _spread(mid: float, sigma: float) -> Quantiles:
    factor = float(np.exp(sigma * Z90))
    return Quantiles(mid / factor, mid, mid * factor)


def _model_error(shape: ModelShape, hardware: Hardware) -> Assumption:
    kind = "neuron" if hardware.is_neuron else "moe" if shape.is_moe else "dense"
    sigma = calibration.residual_spread()[kind]
    why = f"root mean square of residuals of benchmarks excluded from the fit: {sigma:.0%}"
    if hardware.accelerator not in calibration.seen_accelerators():
        sigma = (sigma**2 + UNSEEN_CHIP**2) ** 0.5
        why += f"; no benchmark of {hardware.accelerator} was in the fit"
    return Assumption(
        "model_error",
        f"throughput relative to the step model, {kind}",
        "x",
        _spread(1.0, sigma),
        "log-normal",
        why,
        "data/calibration.json",
    )


def _practice(shape: ModelShape, hardware: Hardware, stack: Stack) -> Assumption:
    if hardware.is_neuron:
        mid, sigma, why = 0.85, 0.25, "eight published figures, all of Trn1, none of Trn2"
    elif hardware.accelerator.startswith("A100"):
        mid, sigma = 0.80, 0.20
        why = "runs go back to 2021, before fused attention, and recomputed every layer (a "
        why += "published 159 TFLOPS are 38 % by 6ND); the benchmarks are of 2023"
    elif hardware.bf16_tflops > 1500:
        mid, sigma = 0.80, 0.20
        why = "a benchmark gained 56 % between two releases (DeepSeek-V3 on B200: 2,139, 3,328)"
    else:
        mid, sigma = 0.88, 0.17
        why = "benchmarks gained 4 to 12 % between releases on H100; torchtitan is 10 to 40 % low"
    slower, faster = stack.slower, stack.faster
    mid *= stack.moe if shape.is_moe else stack.dense
    if shape.is_moe:
        # Imbalance and all-to-all are separate assumptions.
        slower = faster = stack.moe_spread
        why += "; each mixture of experts has its own kernels"
    elif shape.params >= VERY_LARGE_PARAMS:
        mid *= VERY_LARGE_GAIN
        faster = VERY_LARGE_FASTER
        why += "; the largest runs are tuned for months, and few benchmarks are as large"
    why += "; spread and median as of published runs, see the coverage"
    low = mid * float(np.exp(-Z90 * (sigma**2 + slower**2) ** 0.5))
    high = mid * float(np.exp(Z90 * (sigma**2 + faster**2) ** 0.5))
    return Assumption(
        "practice",
        "production throughput relative to a benchmark of the same stack",
        "x",
        Quantiles(low, mid, high),
        "log-normal",
        _BENCHMARK_GAP + why,
        "data/benchmarks.json: the same recipes in two releases, tuned against untuned",
    )


def _failures(nodes: int) -> Assumption:
    base = reliability.FAILURES_PER_NODE_DAY
    # From 16 to 128 nodes the upper tail grows to its full width.
    grown = min(1.0, max(0.0, np.log2(max(nodes, 1) / 16) / 3))
    upper = base.p90 * reliability.LARGE_JOB_FACTOR ** float(grown)
    return Assumption(
        "failures",
        "failures per node and day",
        "1/node/d",
        Quantiles(base.p10, base.p50, upper),
        "log-normal",
        "three fleets; large jobs fail more often than the rate of small ones predicts",
        reliability.FAILURES_SOURCE,
    )
