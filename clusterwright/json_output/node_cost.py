"""The JSON output of `clusterwright report cost`."""

from __future__ import annotations

import datetime as dt
from typing import Literal

from clusterwright.goodput.results import NodeCostReport
from clusterwright.json_output.base import (
    Count,
    Envelope,
    NotNegative,
    Output,
    Usd,
    UsdChange,
    field,
    json_text,
)
from clusterwright.json_output.cost import TagOutput
from clusterwright.json_output.goodput import RemarkOutput, UnknownOutput
from clusterwright.json_output.operating import OperatingPolicyOutput


class NodeCostShareOutput(Output):
    """The jobs of a run, a user or an account."""

    name: str = field("`(none)` where the accounting has no name.")
    jobs: int = field("Jobs; a requeued job is one.")
    node_hours: NotNegative = field("Of its jobs.")
    usd: NotNegative | None = field("Null where a rate is unknown.")
    share: NotNegative = field("Of all jobs' node-hours, 0 to 1.")


class NodeCostDayOutput(Output):
    """A day in UTC, or a sum of days; null where a rate or the number of nodes is unknown."""

    date: dt.date = field("The day; of the sums the first.")
    hours: NotNegative = field("Hours in the period.")
    node_hours: NotNegative | None = field("Of all compute nodes of the file.")
    job_node_hours: NotNegative = field("With a job.")
    idle_node_hours: NotNegative | None = field("Without a job.")
    usd: NotNegative | None = field("Of all compute nodes.")
    job_usd: NotNegative | None = field("Of the nodes with a job.")
    idle_usd: NotNegative | None = field("Of the nodes without a job.")


class SpentDayOutput(Output):
    """A day in UTC beside Cost Explorer."""

    date: dt.date = field("The day.")
    usd: Usd | None = field("Of all compute nodes by the rates of `cost`, as in `days`.")
    instances_usd: UsdChange | None = field(
        "Cost Explorer's for instances with the tag; null if it does not have the day yet."
    )
    cluster_usd: UsdChange | None = field("The same for all services.")
    difference_usd: UsdChange | None = field(
        "instances_usd less usd; null where the day cannot be compared."
    )
    estimated: bool = field("Cost Explorer marks an amount as estimated.")
    note: str = field("Why the day cannot be compared or may change; may be empty.")


class SpentSumOutput(Output):
    """The sums of the days that can be compared; null if there are none."""

    days: Count = field("Their number.")
    usd: Usd | None = field("Of all compute nodes.")
    instances_usd: UsdChange | None = field("Cost Explorer's for instances.")
    cluster_usd: UsdChange | None = field("Cost Explorer's for all services.")
    difference_usd: UsdChange | None = field("instances_usd less usd.")


class SpentOutput(Output):
    """What Cost Explorer has for the cluster's tag."""

    tag: TagOutput = field("The tag of the cluster.")
    days: tuple[SpentDayOutput, ...] = field("In order.")
    total: SpentSumOutput = field("The sums of the days that can be compared.")
    untagged_usd: UsdChange | None = field(
        "Cost without the tag, of the whole account; null if it was not read."
    )
    notes: tuple[str, ...] = field("What to know about the comparison.")


class NodeCostOutput(Envelope):
    """Cost of the compute nodes by day, run, user and account."""

    command: Literal["report cost"] = "report cost"
    file: str = field("The file of the spec.")
    environment: str = field("The cluster's name.")
    since: dt.datetime = field("Start of the period.")
    until: dt.datetime = field("End of the period.")
    days: tuple[NodeCostDayOutput, ...] = field("In order.")
    total: NodeCostDayOutput = field("The sums of the days.")
    runs: tuple[NodeCostShareOutput, ...] = field("The most node-hours first.")
    users: tuple[NodeCostShareOutput, ...] = field("The most node-hours first.")
    accounts: tuple[NodeCostShareOutput, ...] = field("The most node-hours first.")
    forecast_usd_per_day: NotNegative | None = field(
        "Cost of a day of all compute nodes by the rates of `cost`."
    )
    findings: tuple[RemarkOutput, ...] = field("Evidence that is incomplete or contradictory.")
    unknown: tuple[UnknownOutput, ...] = field("What could not be answered.")
    actual: SpentOutput | None = field("With --actual, where Cost Explorer answered.")


OUTPUTS = (NodeCostOutput, OperatingPolicyOutput)


def node_cost_json(report: NodeCostReport) -> str:
    """The report as JSON."""
    return json_text(NodeCostOutput, report, command="report cost")
