"""What `clusterwright capacity` reports: purchases, spares, and what a failure now would cost."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final, Literal

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import (
    CapacityBlock,
    ComputeGroup,
    Reservation,
    TrainingPlan,
)
from clusterwright.cluster_state.capacity import purchases
from clusterwright.cluster_state.not_read import known
from clusterwright.cluster_state.published import RunningJob, not_readable
from clusterwright.cluster_state.results import CapacityState, ClusterState
from clusterwright.operate.capacity_findings import (
    IN_USE,
    capacity_findings,
    capacity_status,
    nodes_end,
    unread_parts,
)
from clusterwright.operate.cost_now import NodeRates
from clusterwright.operate.nodes import JoinedNode, joined_nodes
from clusterwright.operate.results import (
    CapacityReport,
    FailureCost,
    GroupSpares,
    OperatingFinding,
    PurchaseStatus,
    most_severe_first,
)
from clusterwright.operate.status import nothing_there, unknown_of

RESTART_MINUTES: Final = (5, 20)
"""From the failure of a node until the job runs again on other nodes without an operator
(Kokolis et al. 2025, arXiv:2410.21680); a hang is noticed only after the timeout of NCCL."""

REPLACEMENT_MINUTES: Final = (20, 30)
"""HyperPod's replacement of a node (observed, awslabs/awsome-distributed-ai,
hyperpod-mental-model.md, 2026-07-23)."""

_NOT_FOR_JOBS: Final = (
    "DRAIN",
    "DRAINED",
    "DRAINING",
    "DOWN",
    "FAIL",
    "FAILING",
    "MAINT",
    "MAINTENANCE",
    "NOT_RESPONDING",
    "PLANNED",
    "POWERED_DOWN",
    "POWERING_DOWN",
    "REBOOT_ISSUED",
    "REBOOT_REQUESTED",
    "RESERVED",
)
_Replacement = Literal["idle-node", "platform", "purchase", "none"]


def capacity_report(
    cluster: Cluster, state: ClusterState, rates: NodeRates, *, file: str
) -> CapacityReport:
    """The report on purchases, spares and the cost of a failure."""
    nodes = joined_nodes(cluster, state)
    spares = tuple(_spares(cluster, state, nodes))
    failures = tuple(
        failure_cost(cluster, group, state, nodes, found, rates)
        for group, found in zip(_compute(cluster), spares, strict=True)
    )
    parts: list[object] = [state.nodes, *unread_parts(state)]
    if not nothing_there(state):
        parts.append(state.scheduler.unknown)
    if cluster.uses_slurm and state.scheduler.current is not None:
        parts += not_readable(state.scheduler.current, "nodes", "running")
    return CapacityReport(
        file=file,
        environment=cluster.environment,
        account=cluster.account,
        region=cluster.region,
        read_at=state.read_at,
        purchases=tuple(_purchases(cluster, state)),
        spares=spares,
        failures=failures,
        findings=most_severe_first([*capacity_findings(state), *_no_spare(spares, failures)]),
        unknown=unknown_of(parts),
    )


def idle_nodes(group: str, state: ClusterState, nodes: tuple[JoinedNode, ...]) -> tuple[str, ...]:
    """Nodes of a group on which a job can start now: idle, accepted, in no reservation."""
    return tuple(node.name for node in nodes if node.group == group and _is_idle(node, state))


def largest_job(
    group: str, state: ClusterState, nodes: tuple[JoinedNode, ...]
) -> tuple[RunningJob, int] | None:
    """The running job with the most nodes of a group, and how many; None without one, or if it is
    unknown which jobs run.
    """
    current = state.scheduler.current
    names = {node.name for node in nodes if node.group == group}
    found = current.jobs_on(names) if current is not None else None
    if not found:
        return None
    job = max(found, key=lambda each: (len(each.nodes or ()), each.id))
    return job, len(job.nodes or ())


def failure_cost(
    cluster: Cluster,
    group: ComputeGroup,
    state: ClusterState,
    nodes: tuple[JoinedNode, ...],
    spares: GroupSpares,
    rates: NodeRates,
) -> FailureCost:
    """What it costs if a node of the largest job of a group fails now."""
    current = state.scheduler.current
    if current is None or current.running is None or current.jobs_on_unknown_nodes:
        note = "which jobs run is unknown"
        if current is not None and cluster.uses_kubernetes:
            note = "the Kubernetes API's view does not have the nodes of jobs"
        return FailureCost(group.name, None, None, None, None, None, None, None, note)
    found = largest_job(group.name, state, nodes)
    if found is None:
        zero = (Decimal(0), Decimal(0))
        note = "no job runs on the group"
        return FailureCost(group.name, None, 0, None, (0, 0), (0, 0), zero, Decimal(0), note)
    job, count = found
    replacement, minutes, note = _recovery(cluster, group, spares)
    rate = _rate(job, nodes, rates)
    node_minutes = None if minutes is None else (minutes[0] * count, minutes[1] * count)
    usd = None
    if minutes is not None and rate is not None:
        usd = (rate * minutes[0] / 60, rate * minutes[1] / 60)
    return FailureCost(
        group.name,
        job.id,
        count,
        replacement,
        minutes,
        node_minutes,
        usd,
        rate,
        f"{note}; the work since the last checkpoint is lost too, and is unknown here",
    )


def _recovery(
    cluster: Cluster, group: ComputeGroup, spares: GroupSpares
) -> tuple[_Replacement, tuple[int, int] | None, str]:
    """Where the job gets a node from, how many minutes it takes, and how that is known."""
    low, high = RESTART_MINUTES
    if spares.idle:
        return "idle-node", RESTART_MINUTES, f"{spares.idle[0]} is idle and takes its place"
    kind = group.capacity.kind
    bought = isinstance(group.capacity, (Reservation, CapacityBlock, TrainingPlan))
    if bought and spares.launchable == 0:
        return (
            "none",
            None,
            f"no node is idle, and the {kind} has no free instance: the job waits until one is "
            "repaired, or another job ends",
        )
    where: _Replacement = "purchase" if bought else "platform"
    if not cluster.on_hyperpod:
        return (
            where,
            None,
            "no node is idle, and no source states how long a new instance takes",
        )
    if cluster.resilience.node_recovery != "automatic":
        return (
            where,
            None,
            "no node is idle, and resilience.node_recovery is none: somebody has to replace it",
        )
    note = "no node is idle: HyperPod replaces the node"
    if not spares.launchable:
        note += ", if the purchase has a free instance" if bought else f", if {kind} has capacity"
    return where, (low + REPLACEMENT_MINUTES[0], high + REPLACEMENT_MINUTES[1]), note


def _rate(job: RunningJob, nodes: tuple[JoinedNode, ...], rates: NodeRates) -> Decimal | None:
    """USD per hour of a job's nodes; None if the price of one is unknown."""
    by_name = {node.name: node for node in nodes}
    total = Decimal(0)
    for name in job.nodes or ():
        node = by_name.get(name)
        rate = rates.of_group(node.group) if node is not None else None
        if rate is None:
            return None
        total += rate
    return total


def _purchases(cluster: Cluster, state: ClusterState) -> Iterator[PurchaseStatus]:
    for name, kind in purchases(cluster).items():
        found = known(state.capacity.get(name))
        yield PurchaseStatus(
            row=capacity_status(name, state.capacity.get(name), kind),
            groups=tuple(g.name for g in cluster.compute if _purchase_of(g) == name),
            spares=found.spares if found is not None else None,
            unhealthy=found.unhealthy if found is not None else None,
            interconnect=found.interconnect if found is not None else None,
            instances_end=nodes_end(found) if found is not None else None,
        )


def _spares(
    cluster: Cluster, state: ClusterState, nodes: tuple[JoinedNode, ...]
) -> Iterator[GroupSpares]:
    current = state.scheduler.current
    for group in _compute(cluster):
        listed = known(state.nodes)
        running = [
            node
            for node in nodes
            if node.group == group.name
            and node.platform is not None
            and node.platform.condition == "up"
        ]
        # The Kubernetes API's view does not say which nodes have pods of jobs.
        slurm = current if cluster.uses_slurm else None
        view = slurm.nodes if slurm is not None else None
        yield GroupSpares(
            group.name,
            group.capacity.kind,
            group.instance_type,
            None if listed is None else len(running),
            group.spare_count,
            None if view is None else idle_nodes(group.name, state, nodes),
            launchable(group, state),
        )


def launchable(group: ComputeGroup, state: ClusterState) -> int | None:
    """Free instances of an active purchase, or the spares that AWS keeps in it.

    The larger of both: botocore 1.44.5 does not say whether AvailableInstanceCount of
    DescribeTrainingPlan includes AvailableSpareInstanceCount.
    """
    name = _purchase_of(group)
    found: CapacityState | None = known(state.capacity.get(name)) if name else None
    if found is None or found.free is None:
        return None
    return max(found.free, found.spares or 0) if found.status in IN_USE else 0


def _no_spare(
    spares: tuple[GroupSpares, ...], failures: tuple[FailureCost, ...]
) -> Iterator[OperatingFinding]:
    for group, failure in zip(spares, failures, strict=True):
        if not failure.job_nodes or group.idle is None or group.launchable:
            continue
        if len(group.idle) >= max(group.spare_count, 1):
            continue
        short = group.spare_count > 0
        yield OperatingFinding(
            code="spares-short" if short else "no-spare",
            severity="warning" if short else "info",
            message=(
                f"{group.group}: {len(group.idle)} of {group.spare_count} spares are idle"
                if short
                else f"{group.group}: no node is idle, and the file has no spares"
            ),
            resources=(group.group,),
            hint=(
                "clusterwright status FILE shows nodes that are drained or not accepted; jobs "
                "may use spares that no limit keeps free"
                if short
                else "compute[].spare_count in the file"
            ),
        )


def _is_idle(node: JoinedNode, state: ClusterState) -> bool:
    accepted = node.acceptance is None or node.acceptance.state == "accepted"
    here = known(state.nodes) is None or (
        node.platform is not None and node.platform.condition == "up"
    )
    return (
        accepted
        and here
        and node.scheduler is not None
        and node.scheduler.reservation is None
        and node.has_state("IDLE")
        and not node.has_state(*_NOT_FOR_JOBS)
    )


def _purchase_of(group: ComputeGroup) -> str | None:
    capacity = group.capacity
    if isinstance(capacity, TrainingPlan):
        return capacity.arn
    return capacity.id if isinstance(capacity, (Reservation, CapacityBlock)) else None


def _compute(cluster: Cluster) -> tuple[ComputeGroup, ...]:
    return tuple(group for group in cluster.compute if group.role == "compute")
