"""The JSON output of `clusterwright report scaling`."""

from __future__ import annotations

from typing import Literal

from clusterwright.goodput.results import ScalingReport
from clusterwright.json_output.base import (
    Count,
    Envelope,
    NotNegative,
    Output,
    PositiveCount,
    field,
    json_text,
)
from clusterwright.json_output.goodput import ComparisonOutput, UnknownOutput, WorkloadOutput


class ScalingPointOutput(Output):
    """One number of nodes."""

    nodes: PositiveCount = field("Nodes.")
    runs: PositiveCount = field("Logs of this number; the figures are their median.")
    tokens_per_second: NotNegative | None = field("While training.")
    step_seconds: NotNegative | None = field("Median of a step.")
    mfu: NotNegative | None = field("Model FLOPs utilisation, by the plan's FLOPs per token.")
    efficiency: NotNegative | None = field("Throughput of a node relative to the smallest run.")
    usd_per_billion_tokens: NotNegative | None = field("While training.")
    files: tuple[str, ...] = field("The logs.")
    tokens_per_step: PositiveCount | None = field(
        "Tokens of a step; null where unknown or where the runs differ."
    )
    predicted_tokens_per_second: NotNegative | None = field(
        "While training, at the median of the plan for this number of nodes; null without one."
    )
    of_predicted: NotNegative | None = field("The throughput by the predicted one.")


class AcceptedBandwidthOutput(Output):
    """An all-reduce over whole nodes in acceptance."""

    nodes: PositiveCount = field("Nodes.")
    size_mib: PositiveCount = field("Size of the message.")
    gbs: NotNegative = field("Bus bandwidth in GB/s.")
    floor: NotNegative | None = field("What healthy nodes reach; null if not known or stated.")
    verdict: str = field("As acceptance has it.")
    file: str = field("The file.")


class CollectiveOutput(Output):
    """An operation of NCCL on a number of nodes, by NCCL Inspector."""

    nodes: PositiveCount = field("Nodes of the run.")
    operation: str = field("Its name, such as `ReduceScatter` or `Send`.")
    share: NotNegative | None = field(
        "Its time by that of all operations of all GPUs; null where only means are known."
    )
    operations: Count | None = field("Their number; null where only means are known.")
    longest_us: NotNegative = field(
        "Mean microseconds of one operation, at the size of messages that takes longest."
    )
    longest_bytes: Count = field("That size, at least.")


class DominantOutput(Output):
    """The operation of NCCL that takes most time on a number of nodes."""

    nodes: PositiveCount = field("Nodes of the run.")
    operation: str | None = field("Null where only means are known.")
    share: NotNegative | None = field("Of the time of all operations.")
    longest: str = field("The operation of which a single one takes longest.")


class ScalingPlanOutput(Output):
    """The plan's number of nodes."""

    file: str = field("The plan's file.")
    nodes: PositiveCount = field("Nodes of the plan.")
    mfu: ComparisonOutput = field("While training on that number of nodes.")


class ScalingOutput(Envelope):
    """Throughput by number of nodes."""

    command: Literal["report scaling"] = "report scaling"
    file: str = field("The file of the spec.")
    environment: str = field("The cluster's name.")
    instance_type: str | None = field("Of the compute nodes; null where groups differ.")
    workload: WorkloadOutput | None = field("What was trained; null without a plan.")
    points: tuple[ScalingPointOutput, ...] = field("The smallest number of nodes first.")
    knee: PositiveCount | None = field(
        "The smallest number of nodes with an efficiency below 0.9; null if there is none."
    )
    knee_of_plan: PositiveCount | None = field(
        "The smallest number of nodes with less than 0.9 of the plan's throughput; null if there "
        "is none, or no plan for any."
    )
    collectives: tuple[CollectiveOutput, ...] = field(
        "Operations of --inspector: the fewest nodes first, then the most time."
    )
    dominant: tuple[DominantOutput, ...] = field("For each number of nodes of `collectives`.")
    acceptance: tuple[AcceptedBandwidthOutput, ...] = field(
        "Bus bandwidths of --acceptance, the fewest nodes first."
    )
    plan: ScalingPlanOutput | None = field("Beside the plan; null without one that states nodes.")
    unknown: tuple[UnknownOutput, ...] = field("What could not be answered.")


OUTPUTS = (ScalingOutput,)


def scaling_json(report: ScalingReport) -> str:
    """The report as JSON."""
    return json_text(ScalingOutput, report, command="report scaling")
