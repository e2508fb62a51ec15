"""The JSON output of `clusterwright accept`."""

from __future__ import annotations

from typing import Literal

from clusterwright.json_output.base import (
    Count,
    Envelope,
    Number,
    Output,
    PositiveCount,
    Usd,
    field,
    json_text,
)
from clusterwright.json_output.operating import OperatingPolicyOutput, UnknownPartOutput
from clusterwright.operate.acceptance_results import AcceptReport


class AcceptCheckOutput(Output):
    """The result of a check on one node."""

    id: str = field("The check, such as `gpu-count`; docs/reference/acceptance.md lists them.")
    verdict: Literal["pass", "fail", "hung", "unknown", "skipped", "waived"] = field(
        "`skipped` where the check does not apply to the node."
    )
    value: Number | None = field("The figure, in `unit`; null for a check without one.")
    floor: Number | None = field("What a healthy node reaches; null if no floor is known.")
    unit: str | None = field("The unit of `value` and `floor`.")
    source: str | None = field("Where the floor or the expectation is from.")
    reason: str = field("Why it is not a pass.")
    action: str = field("none, report, check, reboot or replace.")


class AcceptNodeOutput(Output):
    """A node that was to be tested."""

    name: str = field("NodeName in Slurm.")
    verdict: Literal["accepted", "rejected", "unknown"] = field("Whether it can be trusted.")
    checks: tuple[AcceptCheckOutput, ...] = field("Empty where the node was not tested.")
    action: str = field("none, report, check, reboot or replace.")
    reason: str = field("Why it is not accepted.")
    group: str = field("The group of the file; empty where the node was not tested.")
    instance_id: str | None = field("EC2's id; null where the node was not tested.")
    instance_type: str | None = field("EC2's name of the type.")


class AcceptClusterCheckOutput(AcceptCheckOutput):
    """The result of a test of several nodes at once."""

    group: str = field("The group of the nodes.")
    nodes: Count = field("The number of nodes.")
    size_mib: Number | None = field("The size of the message; null for other tests.")
    mount_path: str | None = field("The file system; null for other tests.")


class AcceptSuspectOutput(Output):
    """What explains bad results of pairs of nodes."""

    kind: Literal["node", "path", "cluster"] = field(
        "`path`: between good nodes. `cluster`: no tested pair was good, so the cause is common "
        "to all or many."
    )
    names: tuple[str, ...] = field("NodeNames in Slurm.")
    evidence: str = field("The tests from which it follows.")


class AcceptBaselineOutput(Output):
    """The cluster's own figure, with which later runs compare."""

    check: str = field("The check.")
    instance_type: str = field("EC2's name of the type.")
    median: Number = field("Of the nodes that passed.")
    deviation: Number = field("The median absolute deviation.")
    floor: Number = field("What a later run has to reach.")
    unit: str = field("The unit of the three.")
    nodes: PositiveCount = field("The number of nodes that were measured.")
    versions: dict[str, str] = field("Versions of the software with which they were measured.")
    date: str = field("The day.")
    size_mib: Number | None = field("The size of the message.")
    node_count: PositiveCount = field("The number of nodes in one test.")


class AcceptGroupOutput(Output):
    """What the level takes on the nodes of a group."""

    group: str = field("The group.")
    instance_type: str = field("EC2's name of the type.")
    nodes: Count = field("The number of nodes.")
    seconds: Count = field("Planned for each node; the nodes are tested at the same time.")
    cost_usd: Usd | None = field("Of all nodes for that time; null if the price is unknown.")
    unpriced: str | None = field("Why the price is unknown.")


class AcceptOutput(Envelope):
    """An acceptance run, or what one would take."""

    command: Literal["accept"] = "accept"
    file: str = field("The file of the spec.")
    environment: str = field("The cluster's name.")
    account: str = field("The account.")
    region: str = field("The region.")
    level: Literal["quick", "standard", "full", "deep-health-checks"] = field(
        "The level; `deep-health-checks` for HyperPod's own."
    )
    status: Literal["planned", "refused", "running", "ended", "failed", "unknown"] = field(
        "`planned` for a dry run; `running` where the wait ended before the run; `unknown` where "
        "the answer to the request, or the report, cannot be read."
    )
    run: str | None = field("The id of the run, for --run; null for a dry run.")
    nodes: tuple[AcceptNodeOutput, ...] = field("Every node of the run.")
    suspects: tuple[AcceptSuspectOutput, ...] = field(
        "Nodes and paths that tests of several nodes name."
    )
    cluster_checks: tuple[AcceptClusterCheckOutput, ...] = field("Tests of several nodes.")
    baseline: tuple[AcceptBaselineOutput, ...] = field("The cluster's own figures.")
    cost_usd: Usd | None = field("Planned; null if the price of a group is unknown.")
    plan: tuple[AcceptGroupOutput, ...] = field("The planned cost, by group.")
    unknown: tuple[UnknownPartOutput, ...] = field("What could not be answered.")


OUTPUTS = (AcceptOutput, OperatingPolicyOutput)


def accept_json(report: AcceptReport) -> str:
    """The report as JSON."""
    return json_text(AcceptOutput, report)
