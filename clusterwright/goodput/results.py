"""Results of `clusterwright report`: goodput, scaling, layouts and cost."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

Part = Literal["queue", "boot", "start", "productive", "repeated", "checkpoint", "stalled", "down"]
PARTS: Final[tuple[Part, ...]] = (
    "queue",
    "boot",
    "start",
    "productive",
    "repeated",
    "checkpoint",
    "stalled",
    "down",
)
TICKS: Final = 8
"""Times are rounded to 1/8 s, which binary floating point holds exactly: sums are exact."""


@dataclass(frozen=True)
class Span:
    """A part of the timeline, in ticks of 1/8 s since 1970; relative where no time is known."""

    begin: int
    end: int
    part: Part
    attempt: int


@dataclass(frozen=True)
class AttemptResult:
    """One start of the program.

    Attributes
    ----------
    resumed_at:
        Steps done before it, by the checkpoint that it resumed from.
    last_step:
        The last step in its log; None without a step.
    kept_steps, lost_steps:
        Steps of it that the run kept, and that were lost and done again.
    state:
        Slurm's state of the job; None without accounting.
    """

    job_id: str | None
    file: str | None
    state: str | None
    nodes: int | None
    resumed_at: int | None
    last_step: int | None
    kept_steps: int
    lost_steps: int


@dataclass(frozen=True)
class Unknown:
    """What could not be answered, why, and what would answer it."""

    what: str
    reason: str
    hint: str | None = None


@dataclass(frozen=True)
class Remark:
    """Evidence that is incomplete or contradictory."""

    code: str
    message: str


@dataclass(frozen=True)
class Steps:
    """Steps in the logs: done and kept, done and lost; the run's first and last."""

    productive: int
    repeated: int
    first: int | None
    last: int | None


@dataclass(frozen=True)
class Comparison:
    """A measure beside the plan's interval; None where one of the two is unknown."""

    measured: float | None
    p10: float | None
    p50: float | None
    p90: float | None

    @property
    def verdict(self) -> Literal["below", "within", "above", "unknown"]:
        """Where the measure lies."""
        if self.measured is None or self.p10 is None or self.p90 is None:
            return "unknown"
        if self.measured < self.p10:
            return "below"
        return "above" if self.measured > self.p90 else "within"


@dataclass(frozen=True)
class PlanComparison:
    """The run beside its plan."""

    file: str
    accelerators: int | None
    goodput: Comparison
    mfu: Comparison
    usd_per_billion_tokens: Comparison
    tokens_per_second: Comparison


@dataclass(frozen=True, kw_only=True)
class Measures:
    """What follows from the timeline; None where unknown."""

    goodput: float | None = None
    ettr: float | None = None
    mfu: float | None = None
    whole_run_mfu: float | None = None
    tokens: int | None = None
    tokens_per_second: float | None = None
    whole_run_tokens_per_second: float | None = None
    step_seconds: float | None = None
    usd: float | None = None
    usd_per_billion_tokens: float | None = None


@dataclass(frozen=True)
class Workload:
    """What was trained, by the plan beside the run."""

    model: str | None
    params: float | None
    seq_len: int | None
    precision: str | None
    kind: str | None


@dataclass(frozen=True)
class CheckpointFolder:
    """What the folder of the checkpoints says.

    Attributes
    ----------
    count:
        Complete checkpoints in it; older ones may have been deleted.
    newest_step, newest_written:
        Of the one with the most steps; seconds since 1970.
    unsaved_steps:
        Steps of the last attempt that it does not have: they are lost if the run ends now.
    """

    count: int
    newest_step: int | None
    newest_written: float | None
    unsaved_steps: int | None


@dataclass(frozen=True, kw_only=True)
class GoodputReport:
    """Where the time of a run went.

    Attributes
    ----------
    parts:
        Seconds by part; None where no timeline could be made. Their sum is `wall_s`.
    wall_from, wall_to:
        Seconds since 1970; None where no line has a time.
    saves:
        Checkpoints in the logs, else in the folder; None where neither has any.
    checkpoints:
        None where no folder was given.
    """

    file: str
    environment: str
    instance_type: str | None
    workload: Workload | None
    tokens_per_step: int | None
    saves: int | None
    run: str | None
    framework: str
    parts: dict[str, float] | None
    wall_s: float | None
    wall_from: float | None
    wall_to: float | None
    steps: Steps
    measures: Measures
    nodes: int | None
    accelerators: int | None
    plan: PlanComparison | None
    attempts: tuple[AttemptResult, ...]
    spans: tuple[Span, ...]
    unknown: tuple[Unknown, ...]
    findings: tuple[Remark, ...]
    checkpoints: CheckpointFolder | None = None

    @property
    def exit_code(self) -> Literal[0, 1, 2]:
        """1 with a finding, 2 without a timeline, else 0."""
        if self.findings:
            return 1
        return 2 if self.parts is None else 0


KNEE_EFFICIENCY: Final = 0.9
"""Below it more nodes are lost to communication than is usual (operations reference, scaling)."""


@dataclass(frozen=True)
class ScalingPoint:
    """One number of nodes.

    Attributes
    ----------
    efficiency:
        Tokens/s per node relative to the smallest number of nodes.
    tokens_per_step:
        None if unknown, or if the runs differ.
    predicted_tokens_per_second:
        While training, at the median of the plan for this number of nodes; None without one.
    """

    nodes: int
    runs: int
    tokens_per_second: float | None
    step_seconds: float | None
    mfu: float | None
    efficiency: float | None
    usd_per_billion_tokens: float | None
    files: tuple[str, ...]
    tokens_per_step: int | None = None
    predicted_tokens_per_second: float | None = None

    @property
    def of_predicted(self) -> float | None:
        """The throughput by the predicted one; None where one of them is unknown."""
        if self.tokens_per_second is None or not self.predicted_tokens_per_second:
            return None
        return self.tokens_per_second / self.predicted_tokens_per_second


@dataclass(frozen=True, kw_only=True)
class CollectiveTime:
    """An operation of NCCL on a number of nodes, by NCCL Inspector's files.

    Attributes
    ----------
    share:
        Its time by that of all operations of all GPUs; None where only means are known.
    operations:
        Their number; None where only means are known.
    longest_us, longest_bytes:
        Mean duration of one operation in microseconds, at the size of messages that takes longest.
    """

    nodes: int
    operation: str
    share: float | None
    operations: int | None
    longest_us: float
    longest_bytes: int


@dataclass(frozen=True)
class Dominant:
    """The operation of NCCL that takes most time on a number of nodes; None if unknown.

    `longest` is the one of which a single operation takes longest.
    """

    nodes: int
    operation: str | None
    share: float | None
    longest: str


@dataclass(frozen=True)
class AcceptedBandwidth:
    """Bus bandwidth of an all-reduce over whole nodes in acceptance, in GB/s.

    Attributes
    ----------
    floor:
        What healthy nodes reach; None if no floor is known or stated.
    verdict:
        As acceptance has it.
    """

    nodes: int
    size_mib: int
    gbs: float
    floor: float | None
    verdict: str
    file: str


@dataclass(frozen=True)
class ScalingPlan:
    """The plan's number of nodes, and the MFU there while training beside the plan's."""

    file: str
    nodes: int
    mfu: Comparison


@dataclass(frozen=True)
class ScalingReport:
    """Throughput by number of nodes.

    Attributes
    ----------
    knee:
        The smallest number of nodes whose efficiency is below 0.9; None if none is, or unknown.
    plan:
        None without a plan, or where its number of nodes is unknown.
    collectives:
        The fewest nodes first, then the most time.
    """

    file: str
    environment: str
    points: tuple[ScalingPoint, ...]
    knee: int | None
    unknown: tuple[Unknown, ...]
    instance_type: str | None = None
    workload: Workload | None = None
    acceptance: tuple[AcceptedBandwidth, ...] = ()
    plan: ScalingPlan | None = None
    collectives: tuple[CollectiveTime, ...] = ()

    @property
    def knee_of_plan(self) -> int | None:
        """The smallest number of nodes with less than 0.9 of the plan's throughput, if known."""
        shares = ((point.nodes, point.of_predicted) for point in self.points)
        return next(
            (n for n, share in shares if share is not None and share < KNEE_EFFICIENCY), None
        )

    @property
    def dominant(self) -> tuple[Dominant, ...]:
        """For each number of nodes with files of NCCL Inspector."""
        found = []
        for nodes in sorted({one.nodes for one in self.collectives}):
            own = [one for one in self.collectives if one.nodes == nodes]
            first, longest = own[0], max(own, key=lambda one: one.longest_us)
            known = first.share is not None
            found.append(
                Dominant(nodes, first.operation if known else None, first.share, longest.operation)
            )
        return tuple(found)

    @property
    def exit_code(self) -> Literal[0, 2]:
        """2 where fewer than two numbers of nodes have a throughput."""
        return 0 if sum(p.tokens_per_second is not None for p in self.points) > 1 else 2


LayoutOutcome = Literal["measured", "out of memory", "failed", "incomplete"]


@dataclass(frozen=True)
class LayoutPoint:
    """One layout of a sweep.

    Attributes
    ----------
    name:
        Its folder.
    layout:
        As in a plan's `candidates[].layout`.
    outcome:
        `incomplete` if the logs state neither a throughput nor an error.
    predicted_tokens_per_second:
        At the median of the plan; None if the plan does not have the layout.
    """

    name: str
    layout: Mapping[str, Any]
    nodes: int
    outcome: LayoutOutcome
    tokens_per_second: float | None
    step_seconds: float | None
    mfu: float | None
    predicted_tokens_per_second: float | None
    files: tuple[str, ...]
    tokens_per_step: int | None = None


@dataclass(frozen=True)
class LayoutReport:
    """Throughput by layout, the fastest first."""

    file: str
    environment: str
    points: tuple[LayoutPoint, ...]
    unknown: tuple[Unknown, ...]
    instance_type: str | None = None
    workload: Workload | None = None

    @property
    def fastest(self) -> str | None:
        """The folder of the fastest layout; None if none was measured."""
        return next((p.name for p in self.points if p.tokens_per_second is not None), None)

    @property
    def exit_code(self) -> Literal[0, 2]:
        """2 where no layout has a throughput."""
        return 0 if self.fastest is not None else 2


@dataclass(frozen=True)
class Share:
    """Node-hours and cost of the jobs of a run, a user or an account.

    `usd` is None where the rate of a part is unknown; `share` is that of all jobs' node-hours.
    """

    name: str
    jobs: int
    node_hours: float
    usd: float | None
    share: float


@dataclass(frozen=True)
class Day:
    """A day in UTC, or the part of it in the period.

    Attributes
    ----------
    hours:
        Hours of the day in the period.
    node_hours:
        Hours of all compute nodes of the spec; None on a cluster whose number of nodes changes.
    job_node_hours:
        Those that jobs had.
    idle_node_hours:
        The others; None where the number of nodes is unknown.
    """

    date: dt.date
    hours: float
    node_hours: float | None
    job_node_hours: float
    idle_node_hours: float | None
    usd: float | None
    job_usd: float | None
    idle_usd: float | None


@dataclass(frozen=True)
class SpentDay:
    """A day beside Cost Explorer.

    Attributes
    ----------
    usd:
        Of all compute nodes by our rates, as in `Day`.
    instances_usd:
        What Cost Explorer has for instances with the cluster's tag; None where it has no day yet.
    cluster_usd:
        The same for all services.
    estimated:
        Whether Cost Explorer marks an amount of the day as estimated.
    note:
        Why the day cannot be compared, or may change; empty otherwise.
    comparable:
        Whether both amounts are of the whole day.
    """

    date: dt.date
    usd: float | None
    instances_usd: float | None
    cluster_usd: float | None
    estimated: bool
    note: str
    comparable: bool

    @property
    def difference_usd(self) -> float | None:
        """Cost Explorer's instances less ours; None where the day cannot be compared."""
        if not self.comparable or self.usd is None or self.instances_usd is None:
            return None
        return self.instances_usd - self.usd


@dataclass(frozen=True)
class SpentSum:
    """The sums of the days that can be compared; None if there are none."""

    days: int
    usd: float | None
    instances_usd: float | None
    cluster_usd: float | None
    difference_usd: float | None


@dataclass(frozen=True)
class SpentTag:
    """The tag of the cluster, and its status in Cost Explorer; None if it was not read."""

    tag: str
    value: str
    tag_status: str | None


@dataclass(frozen=True)
class Spent:
    """What Cost Explorer has for the cluster's tag, beside our days.

    `untagged_usd` is of the whole account, without the tag; None if it could not be read.
    """

    tag: SpentTag
    days: tuple[SpentDay, ...]
    untagged_usd: float | None
    notes: tuple[str, ...]

    @property
    def total(self) -> SpentSum:
        """The sums of the days that can be compared."""
        own = [day for day in self.days if day.difference_usd is not None]
        if not own:
            return SpentSum(0, None, None, None, None)
        return SpentSum(
            len(own),
            known_sum(day.usd for day in own),
            known_sum(day.instances_usd for day in own),
            known_sum(day.cluster_usd for day in own),
            known_sum(day.difference_usd for day in own),
        )


@dataclass(frozen=True)
class NodeCostReport:
    """What the compute nodes cost, and for whom; `actual` is None where it was not asked for."""

    file: str
    environment: str
    since: dt.datetime
    until: dt.datetime
    days: tuple[Day, ...]
    runs: tuple[Share, ...]
    users: tuple[Share, ...]
    accounts: tuple[Share, ...]
    forecast_usd_per_day: float | None
    findings: tuple[Remark, ...]
    unknown: tuple[Unknown, ...]
    actual: Spent | None = None

    @property
    def total(self) -> Day:
        """The sums of all days; its date is the first day's."""
        return Day(
            self.since.date(),
            sum(day.hours for day in self.days),
            known_sum(day.node_hours for day in self.days),
            sum(day.job_node_hours for day in self.days),
            known_sum(day.idle_node_hours for day in self.days),
            known_sum(day.usd for day in self.days),
            known_sum(day.job_usd for day in self.days),
            known_sum(day.idle_usd for day in self.days),
        )

    @property
    def exit_code(self) -> Literal[0, 2]:
        """2 where a rate, the number of nodes or an answer of AWS is unknown, or no job ran."""
        return 2 if self.unknown else 0


def known_sum(values: Iterable[float | None]) -> float | None:
    """The sum; None if a value is unknown."""
    total = 0.0
    for value in values:
        if value is None:
            return None
        total += value
    return total


def plain(value: Any) -> float | None:
    """A finite positive number of a document; None otherwise."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    # An integer may be beyond any float.
    return float(value) if 0 < value <= sys.float_info.max else None
