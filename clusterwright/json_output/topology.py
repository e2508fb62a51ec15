"""The JSON output of `clusterwright topology`."""

from __future__ import annotations

import datetime as dt
from typing import Literal

from clusterwright.json_output.base import (
    Count,
    Envelope,
    Output,
    PositiveCount,
    field,
    json_text,
)
from clusterwright.json_output.operating import (
    OperatingFindingOutput,
    OperatingPolicyOutput,
    UnknownPartOutput,
)
from clusterwright.operate.results import Agrees, TopologyReport


class NetworkNodeOutput(Output):
    """A network node of AWS."""

    id: str = field("AWS's id.")
    layer: PositiveCount = field("1 at the top.")
    parent: str | None = field("The network node above it; null at the top.")
    nodes: tuple[str, ...] = field("The cluster's nodes below it.")


class NodePlaceOutput(Output):
    """The place of a compute node in the network."""

    name: str = field("The scheduler's name; the platform's if the scheduler has none.")
    group: str | None = field("Its group.")
    instance_id: str | None = field("EC2's id.")
    path: tuple[str, ...] | None = field(
        "AWS's network nodes from the top down; empty if its type has none, null if unknown."
    )
    slurm_path: tuple[str, ...] | None = field("Slurm's switches from the top down.")
    agrees: Agrees = field("Whether Slurm groups it with the same nodes as AWS.")


class JobSpreadOutput(Output):
    """How far a running job is spread."""

    id: str = field("Job id.")
    name: str | None = field("Job name.")
    user: str | None = field("User.")
    nodes: Count = field("Its nodes.")
    leaves: Count | None = field("Network nodes next to its instances; null if unknown.")
    spines: Count | None = field("Network nodes directly above those; null if unknown.")
    crosses_spines: bool | None = field("Whether its traffic crosses spines.")


class TopologyOutput(Envelope):
    """The network of the cluster's compute nodes."""

    command: Literal["topology"] = "topology"
    file: str = field("The file of the spec.")
    environment: str = field("The cluster's name.")
    platform: str = field("The platform.")
    account: str = field("The account.")
    region: str = field("The region.")
    read_at: dt.datetime = field("When it was read.")
    plugin: str | None = field("Slurm's running TopologyPlugin.")
    network: tuple[NetworkNodeOutput, ...] = field("Every network node, from the top down.")
    nodes: tuple[NodePlaceOutput, ...] = field("Every compute node.")
    jobs: tuple[JobSpreadOutput, ...] | None = field("Running jobs; null if unknown.")
    findings: tuple[OperatingFindingOutput, ...] = field("Most severe first.")
    unknown: tuple[UnknownPartOutput, ...] = field("What could not be read.")


OUTPUTS = (TopologyOutput, OperatingPolicyOutput)


def topology_json(report: TopologyReport) -> str:
    """The report as JSON."""
    return json_text(TopologyOutput, report, command="topology")
