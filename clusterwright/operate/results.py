"""Results of the operating commands `status`, `capacity`, `topology`, `drift` and `node`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Literal

Severity = Literal["error", "warning", "info"]
SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "info")

Accepted = Literal["yes", "no", "unknown"]


@dataclass(frozen=True, kw_only=True)
class OperatingFinding:
    """Something that is wrong with a deployed cluster, or worth knowing (`info`).

    Attributes
    ----------
    code:
        A stable word, such as `node-failed`.
    resources:
        Names of the nodes, groups, stacks or purchases that it is about.
    """

    code: str
    severity: Severity
    message: str
    resources: tuple[str, ...] = ()
    hint: str | None = None


@dataclass(frozen=True)
class UnknownPart:
    """One part of the answer that could not be read.

    Attributes
    ----------
    iam_action:
        The IAM action that is missing; None for other reasons.
    """

    what: str
    reason: str
    hint: str | None = None
    iam_action: str | None = None


@dataclass(frozen=True)
class StackStatus:
    """A deployed stack."""

    name: str
    status: str
    reason: str | None


@dataclass(frozen=True)
class GroupStatus:
    """A group of instances.

    Attributes
    ----------
    current, desired:
        Instances that exist, and that the platform works towards; None if unknown.
    """

    name: str
    role: str | None
    instance_type: str | None
    current: int | None
    desired: int | None
    status: str | None


@dataclass(frozen=True)
class NodeStatus:
    """A node, in the platform's view and in the scheduler's view.

    Attributes
    ----------
    name:
        The scheduler's name; the platform's where the scheduler does not know the node.
    platform_state:
        The platform's word; `absent` if only the scheduler knows the node; `unknown`.
    scheduler_state:
        The scheduler's words, joined with `+`; `absent` if only the platform knows a compute
        node; `unknown`; None for a node of another role that the scheduler does not have.
    since:
        Since when it has the reason, or is accepted, or starts; None if that is unknown.
    """

    name: str
    group: str | None
    role: str | None
    instance_id: str | None
    instance_type: str | None
    platform_state: str
    scheduler_state: str | None
    accepted: Accepted
    reason: str | None
    since: dt.datetime | None


@dataclass(frozen=True)
class CapacityStatus:
    """A reservation, Capacity Block or training plan of the spec.

    Attributes
    ----------
    used, free, total:
        Instances; None if unknown.
    ends:
        None without an end, or if unknown.
    """

    id: str
    kind: str
    status: str | None
    instance_type: str | None
    zone: str | None
    total: int | None
    used: int | None
    free: int | None
    starts: dt.datetime | None
    ends: dt.datetime | None


@dataclass(frozen=True, kw_only=True)
class PurchaseStatus:
    """A purchase of the spec in detail.

    Attributes
    ----------
    groups:
        Groups of the file that use it.
    spares:
        Of a training plan: instances that AWS keeps for replacements; None elsewhere, or if
        unknown.
    unhealthy:
        Of a training plan or Capacity Block: instances out of order; None elsewhere, or if
        unknown.
    interconnect:
        Of a Capacity Block of UltraServers, EC2's word; None elsewhere, or if unknown.
    instances_end:
        When EC2 begins to terminate the instances; None without an end, or if unknown.
    """

    row: CapacityStatus
    groups: tuple[str, ...]
    spares: int | None
    unhealthy: int | None
    interconnect: str | None
    instances_end: dt.datetime | None


@dataclass(frozen=True)
class GroupSpares:
    """What can take the place of a failed node of a group.

    Attributes
    ----------
    nodes:
        Instances that run; None if unknown.
    spare_count:
        Spares that the file asks for.
    idle:
        Nodes that could run a job now; None if the scheduler's view is unknown.
    launchable:
        Instances that the group's purchase can still launch; None if unknown, or without one.
    """

    group: str
    capacity: str
    instance_type: str
    nodes: int | None
    spare_count: int
    idle: tuple[str, ...] | None
    launchable: int | None


@dataclass(frozen=True)
class FailureCost:
    """What the failure of one node of a group would cost now, if it hits the largest job.

    Attributes
    ----------
    job:
        Id of the running job with the most nodes of the group; None without one, or if unknown.
    job_nodes:
        Its nodes; 0 if no job runs, None if unknown.
    replacement:
        Where the job gets its node from; None if no job would stop, or if that is unknown.
    minutes:
        Least and most time until the job runs again; None if unknown.
    node_minutes:
        `minutes` times `job_nodes`.
    usd:
        Price of `node_minutes`; None if the time or the price is unknown.
    usd_per_hour:
        Price of the job's nodes while they wait; None if unknown.
    note:
        How the time was found, or why it is unknown.
    """

    group: str
    job: str | None
    job_nodes: int | None
    replacement: Literal["idle-node", "platform", "purchase", "none"] | None
    minutes: tuple[int, int] | None
    node_minutes: tuple[int, int] | None
    usd: tuple[Decimal, Decimal] | None
    usd_per_hour: Decimal | None
    note: str


@dataclass(frozen=True, kw_only=True)
class CapacityReport:
    """The result of `clusterwright capacity`."""

    file: str
    environment: str
    account: str
    region: str
    read_at: dt.datetime
    purchases: tuple[PurchaseStatus, ...]
    spares: tuple[GroupSpares, ...]
    failures: tuple[FailureCost, ...]
    findings: tuple[OperatingFinding, ...]
    unknown: tuple[UnknownPart, ...]

    @property
    def exit_code(self) -> Literal[0, 1, 2]:
        """1 if something is wrong, else 2 if something is unknown, else 0."""
        return exit_code_of(self.findings, self.unknown)


@dataclass(frozen=True)
class UnpricedNodes:
    """Nodes without a known price."""

    instance_type: str
    capacity: str
    nodes: int
    reason: str


@dataclass(frozen=True)
class HourlyCost:
    """What the nodes that exist cost per hour.

    Attributes
    ----------
    usd:
        The known part; None if no node has a known price.
    """

    usd: Decimal | None
    unpriced: tuple[UnpricedNodes, ...] = ()

    @property
    def at_least(self) -> bool:
        """Whether the sum is a lower bound."""
        return bool(self.unpriced)


@dataclass(frozen=True)
class DriftSignal:
    """Whether something differs, from what costs no additional call.

    Attributes
    ----------
    state:
        `no` only if CloudFormation compared every stack, and the file is what was deployed.
    """

    state: Literal["yes", "no", "unknown"]
    reasons: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class StatusReport:
    """The result of `clusterwright status`.

    Attributes
    ----------
    jobs:
        Number of jobs by state; None if unknown.
    scheduler_written_at:
        When the controller published its state, also where it is too old; None without one.
    """

    file: str
    environment: str
    platform: str
    account: str
    region: str
    read_at: dt.datetime
    cluster_name: str
    cluster_status: str | None
    stacks: tuple[StackStatus, ...]
    groups: tuple[GroupStatus, ...]
    nodes: tuple[NodeStatus, ...]
    jobs: dict[str, int] | None
    capacity: tuple[CapacityStatus, ...]
    cost: HourlyCost
    drift: DriftSignal
    scheduler_written_at: dt.datetime | None
    findings: tuple[OperatingFinding, ...]
    unknown: tuple[UnknownPart, ...]

    @property
    def exit_code(self) -> Literal[0, 1, 2]:
        """1 if something is wrong, else 2 if something is unknown, else 0."""
        return exit_code_of(self.findings, self.unknown)


def exit_code_of(
    findings: Iterable[OperatingFinding], unknown: Iterable[UnknownPart]
) -> Literal[0, 1, 2]:
    """1 for an error or a warning, else 2 for an unknown part, else 0."""
    if any(finding.severity != "info" for finding in findings):
        return 1
    return 2 if any(True for _ in unknown) else 0


def most_severe_first(
    findings: Iterable[OperatingFinding],
) -> tuple[OperatingFinding, ...]:
    """The findings by severity; those of one severity in the given order."""
    return tuple(sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity)))


DifferenceKind = Literal["spec", "stack", "image", "node-program", "slurm-configuration"]
"""`spec`: the file against the deployed spec; `stack`: live resources against the templates."""


@dataclass(frozen=True)
class Difference:
    """One value that differs.

    Attributes
    ----------
    resource:
        Stack and logical id, an instance group, or `spec`.
    deployed:
        The live value; None if there is none.
    file:
        The value of the file, or of the template that was deployed from it; None if there is none.
    """

    resource: str
    path: str
    deployed: Any
    file: Any
    kind: DifferenceKind


@dataclass(frozen=True)
class NotCompared:
    """Something that was not compared, and why.

    Attributes
    ----------
    is_unread:
        It could have been compared, but could not be read, so that the answer is incomplete.
    """

    what: str
    reason: str
    hint: str | None = None
    is_unread: bool = False


@dataclass(frozen=True, kw_only=True)
class DriftReport:
    """The result of `clusterwright drift`.

    Attributes
    ----------
    unreadable:
        Whether a part of `not_compared` could not be read, so that the answer is incomplete;
        types that nothing can compare do not count.
    """

    file: str
    environment: str
    account: str
    region: str
    stacks: tuple[str, ...]
    differences: tuple[Difference, ...]
    not_compared: tuple[NotCompared, ...]
    unreadable: bool

    @property
    def exit_code(self) -> Literal[0, 1, 2]:
        """1 with a difference, else 2 if something could not be read, else 0."""
        if self.differences:
            return 1
        return 2 if self.unreadable else 0


NodeVerb = Literal["drain", "resume", "reboot", "replace"]
NodeMeans = Literal["controller", "hyperpod", "ec2", "kubernetes"]
"""`controller`: a request to Slurm's controller; `hyperpod`: SageMaker's batch operations; `ec2`:
EC2 reboots an instance, or terminates it and the platform starts another; `kubernetes`: the
Kubernetes API."""

NodeOutcome = Literal["done", "unchanged", "refused", "failed", "unfinished", "not-done"]
"""`unfinished`: asked, and its end was not seen; `not-done`: not asked."""


@dataclass(frozen=True)
class NodeAction:
    """What will be done with a node.

    Attributes
    ----------
    scheduler_name:
        NodeName in Slurm; None if Slurm does not have the node.
    state:
        The platform's state and the scheduler's.
    refused:
        Why it cannot be done.
    unchanged:
        Why there is nothing to do.
    unknown:
        Whether it is refused because something is unknown.
    drained:
        Whether the scheduler starts no job on it already.
    boot_id:
        The boot before, on Kubernetes.
    """

    name: str
    group: str | None
    instance_id: str | None
    logical_id: str | None
    hostname: str | None
    scheduler_name: str | None
    state: str
    refused: str | None = None
    unchanged: str | None = None
    unknown: bool = False
    drained: bool = False
    boot_id: str | None = None


@dataclass(frozen=True)
class JobHit:
    """A running job on one of the nodes."""

    id: str
    name: str | None
    user: str | None
    nodes: int


@dataclass(frozen=True, kw_only=True)
class NodePlan:
    """What `clusterwright node` will do, and what it costs.

    Attributes
    ----------
    drains_first:
        Whether the scheduler drains the nodes before, and resumes them afterwards.
    jobs:
        Running jobs on the nodes; None if unknown.
    jobs_stop:
        Whether these jobs stop; else they end by themselves.
    node_minutes:
        Least and most time that nodes do not work, with the other nodes of jobs that stop; None
        if unknown.
    usd:
        Price of `node_minutes`; None if the time or a price is unknown.
    usd_per_hour:
        Price of the nodes themselves while they do not work; None if unknown.
    """

    file: str
    environment: str
    platform: str
    account: str
    region: str
    verb: NodeVerb
    because: str
    means: NodeMeans
    drains_first: bool
    actions: tuple[NodeAction, ...]
    jobs: tuple[JobHit, ...] | None
    jobs_stop: bool
    effects: tuple[str, ...]
    warnings: tuple[str, ...]
    node_minutes: tuple[int, int] | None
    usd: tuple[Decimal, Decimal] | None
    usd_per_hour: Decimal | None
    unknown: tuple[UnknownPart, ...]

    @property
    def refused(self) -> bool:
        """Whether a node is refused: then nothing is done at all."""
        return any(action.refused is not None for action in self.actions)

    @property
    def wanted(self) -> tuple[NodeAction, ...]:
        """Actions that change something."""
        return tuple(a for a in self.actions if a.refused is None and a.unchanged is None)


@dataclass(frozen=True)
class NodeResult:
    """What became of an action.

    Attributes
    ----------
    new_instance_id:
        The instance that took the place of the node's; None without a replacement.
    """

    name: str
    group: str | None
    instance_id: str | None
    new_instance_id: str | None
    outcome: NodeOutcome
    reason: str


@dataclass(frozen=True)
class NodeReport:
    """The result of `clusterwright node`."""

    plan: NodePlan
    results: tuple[NodeResult, ...]

    @property
    def exit_code(self) -> Literal[0, 1, 2]:
        """1 if a node was refused or failed, else 2 if an end was not seen, else 0."""
        unknown = {action.name for action in self.plan.actions if action.unknown}
        wrong = [r for r in self.results if r.outcome in ("refused", "failed")]
        if any(each.name not in unknown for each in wrong):
            return 1
        if wrong or any(each.outcome == "unfinished" for each in self.results):
            return 2
        return 1 if any(each.outcome == "not-done" for each in self.results) else 0


Agrees = Literal["yes", "no", "unknown"]


@dataclass(frozen=True)
class NetworkNode:
    """A network node of AWS.

    Attributes
    ----------
    layer:
        1 at the top.
    parent:
        The network node above it; None at the top.
    nodes:
        The cluster's nodes below it.
    """

    id: str
    layer: int
    parent: str | None
    nodes: tuple[str, ...]


@dataclass(frozen=True)
class NodePlace:
    """The place of a node in the network.

    Attributes
    ----------
    path:
        AWS's network nodes from the top down; empty if its type has none, None if unknown.
    slurm_path:
        Slurm's switches from the top down; None without, or if unknown.
    agrees:
        Whether Slurm groups it with the same nodes as AWS; names do not count.
    """

    name: str
    group: str | None
    instance_id: str | None
    path: tuple[str, ...] | None
    slurm_path: tuple[str, ...] | None
    agrees: Agrees


@dataclass(frozen=True)
class JobSpread:
    """How far a running job is spread.

    Attributes
    ----------
    leaves, spines:
        Different network nodes next to its instances, and directly above those; None if the place
        of one of its nodes is unknown.
    """

    id: str
    name: str | None
    user: str | None
    nodes: int
    leaves: int | None
    spines: int | None

    @property
    def crosses_spines(self) -> bool | None:
        """Whether its traffic crosses spines; None if unknown."""
        return None if self.spines is None else self.spines > 1


@dataclass(frozen=True, kw_only=True)
class TopologyReport:
    """The result of `clusterwright topology`.

    Attributes
    ----------
    plugin:
        Slurm's running TopologyPlugin; None without Slurm, or if unknown.
    jobs:
        Running jobs; None if unknown.
    """

    file: str
    environment: str
    platform: str
    account: str
    region: str
    read_at: dt.datetime
    plugin: str | None
    network: tuple[NetworkNode, ...]
    nodes: tuple[NodePlace, ...]
    jobs: tuple[JobSpread, ...] | None
    findings: tuple[OperatingFinding, ...]
    unknown: tuple[UnknownPart, ...]

    @property
    def exit_code(self) -> Literal[0, 1, 2]:
        """1 if something is wrong, else 2 if something is unknown, else 0."""
        return exit_code_of(self.findings, self.unknown)
