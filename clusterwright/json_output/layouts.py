"""The JSON output of `clusterwright report layouts`."""

from __future__ import annotations

from typing import Literal

from clusterwright.goodput.results import LayoutOutcome, LayoutReport
from clusterwright.json_output.base import (
    Envelope,
    NotNegative,
    Output,
    PositiveCount,
    field,
    json_text,
)
from clusterwright.json_output.goodput import UnknownOutput, WorkloadOutput


class LayoutPointOutput(Output):
    """One layout."""

    name: str = field("Its folder.")
    layout: dict[str, str | int | float] = field("As in a plan's `candidates[].layout`.")
    nodes: PositiveCount = field("Nodes.")
    outcome: LayoutOutcome = field("`incomplete` without a throughput and without an error.")
    tokens_per_second: NotNegative | None = field("While training.")
    step_seconds: NotNegative | None = field("Median of a step.")
    mfu: NotNegative | None = field("Model FLOPs utilisation, by the plan's FLOPs per token.")
    predicted_tokens_per_second: NotNegative | None = field(
        "At the median of the plan; null where it does not have the layout."
    )
    files: tuple[str, ...] = field("The logs.")
    tokens_per_step: PositiveCount | None = field("Tokens of a step.")


class LayoutsOutput(Envelope):
    """Throughput by layout."""

    command: Literal["report layouts"] = "report layouts"
    file: str = field("The file of the spec.")
    environment: str = field("The cluster's name.")
    instance_type: str | None = field("Of the compute nodes; null where groups differ.")
    workload: WorkloadOutput | None = field("What was trained; null without a plan.")
    points: tuple[LayoutPointOutput, ...] = field("The fastest first.")
    fastest: str | None = field("The folder of the fastest layout; null if none was measured.")
    unknown: tuple[UnknownOutput, ...] = field("What could not be answered.")


OUTPUTS = (LayoutsOutput,)


def layouts_json(report: LayoutReport) -> str:
    """The report as JSON."""
    return json_text(LayoutsOutput, report, command="report layouts")
