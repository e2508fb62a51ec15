"""The JSON output of `clusterwright status`."""

from __future__ import annotations

import datetime as dt
from typing import Literal

from clusterwright.json_output.base import (
    Count,
    Envelope,
    Joined,
    Output,
    Usd,
    field,
    json_text,
)
from clusterwright.json_output.operating import (
    OperatingFindingOutput,
    OperatingPolicyOutput,
    UnknownPartOutput,
)
from clusterwright.operate.results import Accepted, StatusReport


class ClusterOutput(Output):
    """The cluster in the platform's view."""

    name: str = field("Its name, which is the environment.")
    status: str | None = field("The platform's word; null if there is none, or it is unknown.")


class StackOutput(Output):
    """A deployed stack."""

    name: str = field("The stack's name.")
    status: str = field("CloudFormation's status.")
    reason: str | None = field("CloudFormation's reason.")


class GroupOutput(Output):
    """A group of instances."""

    name: str = field("The group's name.")
    role: str | None = field("Its role in the file; null if the file does not have it.")
    instance_type: str | None = field("EC2's name of the type.")
    current: Count | None = field("Instances that exist; null if unknown.")
    desired: Count | None = field("Instances that the platform works towards.")
    status: str | None = field("The platform's word.")


class NodeOutput(Output):
    """A node in both views."""

    name: str = field("The scheduler's name; the platform's if the scheduler has none.")
    group: str | None = field("Its group.")
    role: str | None = field("The role of its group in the file.")
    instance_id: str | None = field("EC2's id; null before the launch.")
    instance_type: str | None = field("EC2's name of the type.")
    platform_state: str = field("The platform's word, `absent` or `unknown`.")
    scheduler_state: str | None = field(
        "The scheduler's words joined with `+`, `absent` or `unknown`; null for a controller or "
        "login node that the scheduler does not have."
    )
    accepted: Accepted = field("Whether it passed the acceptance checks since its last boot.")
    reason: str | None = field("The scheduler's reason, else that of acceptance or platform.")
    since: dt.datetime | None = field("Since when it has the reason or is accepted.")


class CapacityOutput(Output):
    """A reservation, Capacity Block or training plan of the file."""

    id: str = field("The id, or the ARN of a training plan.")
    kind: str = field("reservation, capacity-block or training-plan.")
    status: str | None = field("AWS's word; null if unknown.")
    instance_type: str | None = field("EC2's name of the type.")
    zone: str | None = field("The zone id.")
    total: Count | None = field("Instances.")
    used: Count | None = field("Instances in use.")
    free: Count | None = field("Instances that can be launched.")
    starts: dt.datetime | None = field("The start.")
    ends: dt.datetime | None = field("The end; null without one, or if unknown.")


class UnpricedOutput(Output):
    """Nodes without a known price."""

    instance_type: str = field("EC2's name of the type.")
    capacity: str = field("The kind of capacity.")
    nodes: Count = field("How many exist.")
    reason: str = field("Why the price is unknown.")


class DriftOutput(Output):
    """Whether something differs, from what costs no additional call."""

    state: Literal["yes", "no", "unknown"] = field("`clusterwright drift` compares everything.")
    reasons: tuple[str, ...] = field("What differs, or why it is unknown.")


class StatusOutput(Envelope):
    """The deployed cluster now."""

    command: Literal["status"] = "status"
    file: str = field("The file of the spec.")
    environment: str = field("The cluster's name.")
    platform: str = field("The platform.")
    account: str = field("The account.")
    region: str = field("The region.")
    read_at: dt.datetime = field("When it was read.")
    cluster: ClusterOutput = field("The cluster.")
    stacks: tuple[StackOutput, ...] = field("Deployed stacks, in the order of deployment.")
    groups: tuple[GroupOutput, ...] = field("Groups of the file, then others.")
    nodes: tuple[NodeOutput, ...] = field("Every node, by group.")
    jobs: dict[str, int] | None = field("Number of jobs by state; null if unknown.")
    capacity: tuple[CapacityOutput, ...] = field("Every purchase that the file names.")
    cost_per_hour_usd: Usd | None = field(
        "Nodes that exist times their prices, without those in `cost_unpriced`; null if no price "
        "is known."
    )
    cost_unpriced: tuple[UnpricedOutput, ...] = field("Nodes that are not in the sum.")
    drift: DriftOutput = field("Whether something differs.")
    scheduler_written_at: dt.datetime | None = field(
        "When the controller published its state; null on Kubernetes, or if it is unknown."
    )
    findings: tuple[OperatingFindingOutput, ...] = field("Most severe first.")
    unknown: tuple[UnknownPartOutput, ...] = field("What could not be read.")


OUTPUTS = (StatusOutput, OperatingPolicyOutput)


def status_json(report: StatusReport) -> str:
    """The report as JSON."""
    return json_text(
        StatusOutput,
        report,
        cluster=Joined(name=report.cluster_name, status=report.cluster_status),
        cost_per_hour_usd=report.cost.usd,
        cost_unpriced=report.cost.unpriced,
    )
