"""The JSON output of `clusterwright report cost`."""

from __future__ import annotations

import datetime as dt
from typing import Literal

from clusterwright.goodput.results import NodeCostReport
from clusterwright.json_output.base import Envelope, NotNegative, Output, field, json_text
from clusterwright.json_output.goodput import RemarkOutput, UnknownOutput


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


OUTPUTS = (NodeCostOutput,)


def node_cost_json(report: NodeCostReport) -> str:
    """The report as JSON."""
    return json_text(NodeCostOutput, report, command="report cost")
