"""Types of a plan: quantiles, layouts, memory, steps, candidates."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

from clusterwright.sizing.hardware import Hardware
from clusterwright.sizing.shape import ModelShape

Recompute = Literal["none", "selective", "full"]
Sharding = Literal["none", "distributed-optimizer", "zero-2", "fsdp"]
QuantileName = Literal["p10", "p50", "p90"]
StackName = Literal["as-it-comes", "tuned", "frontier"]


@dataclass(frozen=True)
class Quantiles:
    """P10, P50 and P90 of a quantity, in increasing order."""

    p10: float
    p50: float
    p90: float

    def __post_init__(self) -> None:
        if not self.p10 <= self.p50 <= self.p90:
            raise ValueError(f"quantiles out of order: {self.p10}, {self.p50}, {self.p90}")

    def at(self, name: QuantileName) -> float:
        """The quantile of a name."""
        return {"p10": self.p10, "p50": self.p50, "p90": self.p90}[name]

    def scaled(self, factor: float) -> Quantiles:
        """All three multiplied by a positive factor."""
        return Quantiles(self.p10 * factor, self.p50 * factor, self.p90 * factor)


@dataclass(frozen=True)
class Layout:
    """Parallelism of a model on accelerators.

    `data` is accelerators / (tensor * pipeline * context). Experts are spread over
    `expert` ranks of one pipeline stage. `virtual` is the number of model chunks per stage of an
    interleaved pipeline; 1 is plain 1F1B. `recompute_share` is the share of layers that are
    recomputed in full where `recompute` is `full`; the others are as with `selective`.
    """

    tensor: int = 1
    pipeline: int = 1
    context: int = 1
    expert: int = 1
    data: int = 1
    virtual: int = 1
    micro_batch: int = 1
    recompute: Recompute = "selective"
    recompute_share: float = 1.0
    sharding: Sharding = "distributed-optimizer"
    accumulation: int = 1

    @property
    def accelerators(self) -> int:
        """Accelerators of the layout."""
        return self.tensor * self.pipeline * self.context * self.data

    @property
    def text(self) -> str:
        """Short form: `TP8 PP4 DP64`, without dimensions of 1."""
        parts = [("TP", self.tensor), ("PP", self.pipeline), ("CP", self.context)]
        parts += [("EP", self.expert), ("DP", self.data)]
        words = [f"{name}{value}" for name, value in parts if value > 1 or name == "DP"]
        if self.virtual > 1:
            words.append(f"VP{self.virtual}")
        words.append(f"MBS{self.micro_batch}")
        share = f"-{self.recompute_share:.0%}" if self.recompute_share < 1 else ""
        return " ".join([*words, self.sharding, f"recompute-{self.recompute}{share}"])


@dataclass(frozen=True)
class Memory:
    """Bytes on the most loaded accelerator by part, and its memory."""

    parts: dict[str, float]
    limit_gib: float

    @property
    def total_gib(self) -> float:
        """All parts together, GiB."""
        return sum(self.parts.values()) / 2**30

    @property
    def used_share(self) -> float:
        """Share of the accelerator's memory; layouts above 0.9 are refused."""
        return self.total_gib / self.limit_gib


@dataclass(frozen=True)
class Step:
    """One optimizer step; the seconds of `parts` add up to `seconds`.

    `mfu` is 6 x active parameters x tokens / seconds / accelerators / dense peak of `peak_tflops`;
    attention and recomputation are work, but not in the numerator.
    """

    seconds: float
    parts: dict[str, float]
    tokens: float
    mfu: float
    mfu_with_attention: float
    hardware_utilisation: float
    peak_tflops: float
    tokens_per_s_per_accelerator: float


@dataclass(frozen=True)
class Assumption:
    """An uncertain input: its distribution, the reason and the source."""

    key: str
    text: str
    unit: str
    values: Quantiles
    distribution: str
    reason: str
    source: str


@dataclass(frozen=True)
class Swing:
    """Days over the range of one assumption, the others at their median (a bar of the tornado)."""

    key: str
    text: str
    days_low: float
    days_high: float

    @property
    def days(self) -> float:
        """Width of the bar."""
        return abs(self.days_high - self.days_low)


@dataclass(frozen=True)
class Explained:
    """One formula with its numbers: `6 * N * D`, `6 * 7e10 * 1.5e13 = 6.3e24`, source."""

    what: str
    formula: str
    numbers: str
    value: float | str
    unit: str
    source: str


@dataclass(frozen=True)
class EfaOff:
    """The same nodes with TCP over ENA instead of EFA.

    Attributes
    ----------
    days:
        With the fastest layout without EFA; `None` without one.
    usd:
        Of compute, with the candidate's kind of capacity; `None` if unknown.
    reason:
        Why there are no days, or why they are equal.
    """

    days: Quantiles | None
    usd: Quantiles | None = None
    reason: str | None = None


@dataclass(frozen=True)
class FrameworkSupport:
    """Support of a framework for a chip, and for a model on it.

    Attributes
    ----------
    support:
        Of the chip: `beta`, `ended` or `none`.
    model:
        Of the model: begins with `known` or `unknown`.
    """

    framework: str
    generation: str
    support: Literal["beta", "ended", "none"]
    model: str
    source: str


@dataclass(frozen=True)
class Candidate:
    """A cluster with its layout and days, or with the reason why it is infeasible.

    Prices are in `offers.Offer`, which refers to its candidate.
    """

    hardware: Hardware
    nodes: int
    accelerators: int
    layout: Layout | None
    memory: Memory | None
    step: Step | None
    days: Quantiles | None = None
    accelerator_hours: Quantiles | None = None
    in_run_mfu: Quantiles | None = None
    goodput: Quantiles | None = None
    chosen: bool = False
    infeasible: str | None = None
    notes: tuple[str, ...] = ()
    efa_off: EfaOff | None = None
    """Of more than one node of an instance type; else `None`."""
    unknown_offering: str | None = None
    """A sentence if it is unknown whether the region offers the type."""
    frameworks: tuple[FrameworkSupport, ...] = ()
    """Of Trainium."""


@dataclass(frozen=True)
class Estimate:
    """The answer for one cluster."""

    accelerators: int
    accelerators_chosen: bool
    nodes: int
    days: Quantiles
    accelerator_hours: Quantiles
    in_run_mfu: Quantiles
    goodput: Quantiles
    whole_run_mfu: Quantiles
    usd: Quantiles | None = None
    usd_unknown: str | None = None


@dataclass(frozen=True)
class NarrowedQuantity:
    """One uncertain input before and after a measurement of it.

    Attributes
    ----------
    key:
        `throughput`, or the key of an `Assumption`.
    measured:
        In `unit`; the geometric mean of several values.
    count:
        How many runs, saves, restarts or failures were measured; failures may be 0.
    """

    key: str
    text: str
    unit: str
    measured: float
    count: int
    before: Quantiles
    after: Quantiles

    @property
    def outside(self) -> bool:
        """Whether the measured value is outside the interval of before."""
        return not self.before.p10 <= self.measured <= self.before.p90

    @property
    def narrower(self) -> float:
        """Share by which the interval is narrower; negative if it is wider."""
        return narrower(self.before, self.after)


@dataclass(frozen=True)
class Narrowing:
    """What measured runs change about a plan.

    Attributes
    ----------
    notes:
        What was scaled or assumed, or is outside the interval of before.
    unknown:
        What the measurement does not state, with the reason.
    """

    files: tuple[str, ...]
    quantities: tuple[NarrowedQuantity, ...]
    days_before: Quantiles
    days_after: Quantiles
    notes: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def narrower(self) -> float:
        """Share by which the interval of the days is narrower; negative if it is wider."""
        return narrower(self.days_before, self.days_after)

    def after(self, key: str) -> Quantiles | None:
        """The narrowed interval of an input; `None` where it was not measured."""
        return next((one.after for one in self.quantities if one.key == key), None)


def narrower(before: Quantiles, after: Quantiles) -> float:
    """1 - log(P90/P10) after / log(P90/P10) before, of positive quantities."""
    width = math.log(before.p90 / before.p10)
    return 0.0 if width == 0.0 else 1.0 - math.log(after.p90 / after.p10) / width


@dataclass(frozen=True)
class Plan:
    """A plan: the estimate, its candidates, assumptions and warnings."""

    shape: ModelShape
    tokens: float
    seq_len: int
    precision: str
    kind: str
    batch_tokens: float
    training_flops: float
    estimate: Estimate
    candidates: tuple[Candidate, ...]
    assumptions: tuple[Assumption, ...]
    tornado: tuple[Swing, ...]
    warnings: tuple[str, ...]
    explained: tuple[Explained, ...] = field(default=())
    seed: int = 0
    samples: int = 0
    narrowing: Narrowing | None = None
    """With measured runs."""

    @property
    def chosen(self) -> Candidate:
        """The candidate of `estimate`."""
        return next(candidate for candidate in self.candidates if candidate.chosen)
