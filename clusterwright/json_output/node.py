"""The JSON output of `clusterwright node`."""

from __future__ import annotations

from typing import Literal

from clusterwright.json_output.base import Count, Envelope, Joined, Output, Usd, field, json_text
from clusterwright.json_output.capacity import Range, UsdRange, least_and_most
from clusterwright.json_output.operating import OperatingPolicyOutput, UnknownPartOutput
from clusterwright.operate.results import NodeMeans, NodeOutcome, NodeReport, NodeVerb


class NodeResultOutput(Output):
    """What became of one node."""

    name: str = field("The scheduler's name; the platform's if the scheduler has none.")
    group: str | None = field("Its group.")
    instance_id: str | None = field("The instance before.")
    new_instance_id: str | None = field("The instance that took its place; null without one.")
    outcome: NodeOutcome = field(
        "`unfinished`: asked, and its end was not seen; `not-done`: not asked."
    )
    reason: str = field("Why, or what was seen last.")


class JobHitOutput(Output):
    """A running job on one of the nodes."""

    id: str = field("Job id.")
    name: str | None = field("Job name.")
    user: str | None = field("User.")
    nodes: Count = field("Its nodes.")


class NodeOutput(Envelope):
    """Nodes that were drained, resumed, rebooted or replaced."""

    command: Literal["node"] = "node"
    file: str = field("The file of the spec.")
    environment: str = field("The cluster's name.")
    platform: str = field("The platform.")
    account: str = field("The account.")
    region: str = field("The region.")
    verb: NodeVerb = field("What was asked.")
    because: str = field("Why.")
    means: NodeMeans | None = field(
        "`controller`: a request to Slurm's controller; `hyperpod`: SageMaker's batch operations; "
        "`ec2`: EC2 reboots an instance, or terminates it and the platform starts another; "
        "`kubernetes`: the Kubernetes API, with kubectl; null on nodes that have no "
        "means."
    )
    nodes: tuple[NodeResultOutput, ...] = field("Every named node.")
    jobs: tuple[JobHitOutput, ...] | None = field(
        "Running jobs on the nodes before; null if unknown."
    )
    jobs_stop: bool = field("Whether these jobs stop.")
    node_minutes: Range | None = field("Time that nodes do not work; null if unknown.")
    cost_usd: UsdRange | None = field("Price of `node_minutes`; null if unknown.")
    cost_per_hour_usd: Usd | None = field("Price of the nodes while they do not work.")
    effects: tuple[str, ...] = field("What happens.")
    warnings: tuple[str, ...] = field("Spares, purchases and users that are concerned.")
    unknown: tuple[UnknownPartOutput, ...] = field("What could not be read.")


OUTPUTS = (NodeOutput, OperatingPolicyOutput)


def node_json(report: NodeReport) -> str:
    """The report as JSON."""
    plan = report.plan
    return json_text(
        NodeOutput,
        Joined(
            plan,
            command="node",
            exit_code=report.exit_code,
            nodes=report.results,
            node_minutes=least_and_most(plan.node_minutes),
            cost_usd=least_and_most(plan.usd),
            cost_per_hour_usd=plan.usd_per_hour,
        ),
    )
