"""What `clusterwright status` reports, from a cluster's state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_state.capacity import purchases
from clusterwright.cluster_state.not_read import NotRead, known
from clusterwright.cluster_state.reading import deployed_spec
from clusterwright.cluster_state.results import ClusterState, PlatformGroup
from clusterwright.operate.capacity_findings import (
    capacity_findings,
    capacity_status,
    unread_parts,
)
from clusterwright.operate.cost_now import NodeRates, cost_now
from clusterwright.operate.node_findings import node_findings
from clusterwright.operate.nodes import JoinedNode, joined_nodes, node_status
from clusterwright.operate.results import (
    DriftSignal,
    GroupStatus,
    HourlyCost,
    OperatingFinding,
    Severity,
    StackStatus,
    StatusReport,
    UnknownPart,
    most_severe_first,
)
from clusterwright.platforms.parallelcluster.queues import counts

_IMAGE_SEVERITY: Final[Mapping[str, Severity]] = {
    "UpdateAvailable": "info",
    "SecurityUpdateRequired": "warning",
    "EndOfLife": "warning",
}
"""ImageVersionStatus of HyperPod (botocore 1.44.5) that is not `UpToDate`."""
_SHOWN_RULES: Final = 3


def status_report(
    cluster: Cluster,
    state: ClusterState,
    rates: NodeRates,
    *,
    file: str,
    resolved: Mapping[str, Any],
) -> StatusReport:
    """The report; `resolved` is the file's resolved spec, for comparison with the deployed one."""
    nodes = joined_nodes(cluster, state)
    platform = known(state.cluster)
    scheduler = state.scheduler.current
    listed = known(state.nodes)
    groups = group_statuses(cluster, state, nodes)
    drift = drift_signal(state, resolved)
    findings = [
        *_deployment(cluster, state),
        *_cluster(state),
        *_groups(groups, state),
        *node_findings(nodes, state),
        *_scheduler(state),
        *capacity_findings(state),
        *_drift(drift),
    ]
    kinds = purchases(cluster)
    return StatusReport(
        file=file,
        environment=cluster.environment,
        platform=cluster.platform,
        account=cluster.account,
        region=cluster.region,
        read_at=state.read_at,
        cluster_name=cluster.environment,
        cluster_status=platform.status if platform is not None else None,
        stacks=tuple(
            StackStatus(stack.name, stack.status, stack.reason)
            for stack in known(state.stacks) or ()
        ),
        groups=groups,
        nodes=tuple(node_status(node, state) for node in nodes),
        jobs=scheduler.jobs if scheduler is not None else None,
        capacity=tuple(
            capacity_status(name, found, kinds[name]) for name, found in state.capacity.items()
        ),
        cost=HourlyCost(None) if listed is None else cost_now(listed, rates),
        drift=drift,
        scheduler_written_at=(
            state.scheduler.state.written_at if state.scheduler.state is not None else None
        ),
        findings=most_severe_first(findings),
        unknown=unknown_parts(state),
    )


def unknown_parts(state: ClusterState) -> tuple[UnknownPart, ...]:
    """What could not be read, each reason once."""
    parts: list[object] = [state.stacks, state.cluster, state.nodes, state.deployed_spec]
    parts += [state.deep_health, state.changed_rules]
    if not _stale(state) and not nothing_there(state):
        parts.append(state.scheduler.unknown)
    scheduler = state.scheduler.current
    if scheduler is not None:
        parts += [
            NotRead(f"the scheduler's {name}", "the controller could not read it")
            for name in ("nodes", "jobs")
            if getattr(scheduler, name) is None
        ]
    parts += unread_parts(state)
    return unknown_of(parts)


def unknown_of(parts: Iterable[object]) -> tuple[UnknownPart, ...]:
    """The parts that were not read, each reason once; others are left out."""
    found: dict[tuple[str, str], UnknownPart] = {}
    for part in parts:
        if isinstance(part, NotRead):
            found[(part.what, part.reason)] = UnknownPart(
                part.what, part.reason, part.hint, part.iam_action
            )
    return tuple(found.values())


def group_statuses(
    cluster: Cluster, state: ClusterState, nodes: Sequence[JoinedNode]
) -> tuple[GroupStatus, ...]:
    """Groups of the file in its order, then groups that only the platform has."""
    platform = known(state.cluster)
    reported: dict[str, list[PlatformGroup]] = {}
    for part in platform.groups if platform is not None else ():
        reported.setdefault(part.name, []).append(part)
    listed: dict[str | None, int] | None = None
    if known(state.nodes) is not None:
        listed = {}
        for node in nodes:
            if node.platform is not None and node.platform.condition != "ending":
                listed[node.group] = listed.get(node.group, 0) + 1
    found = []
    for group in cluster.compute:
        parts = reported.pop(group.name, [])
        current = _sum(part.current for part in parts) if parts else None
        desired = _sum(part.desired for part in parts) if parts else None
        if current is None and listed is not None:
            current = listed.get(group.name, 0)
        if not parts and platform is not None and not cluster.traits.managed_node_groups:
            # Karpenter's groups of EKS have no node group, and no desired size.
            desired = group.count if cluster.on_hyperpod else _wanted(group)
        found.append(
            GroupStatus(
                group.name,
                group.role,
                group.instance_type,
                current,
                desired,
                next((part.status for part in parts), None),
            )
        )
    found += [
        GroupStatus(
            name,
            None,
            None,
            _sum(part.current for part in parts),
            _sum(part.desired for part in parts),
            parts[0].status,
        )
        for name, parts in reported.items()
    ]
    return tuple(found)


def drift_signal(state: ClusterState, resolved: Mapping[str, Any]) -> DriftSignal:
    """Whether something differs: the recorded spec, rules of security groups now, and
    CloudFormation's last drift detection.
    """
    recorded = deployed_spec(state)
    stacks = () if isinstance(state.stacks, NotRead) else state.stacks
    if not stacks:
        read = not isinstance(state.stacks, NotRead)
        return DriftSignal("unknown", ("nothing is deployed",) if read else ())
    reasons = []
    differ = [stack.name for stack in stacks if stack.drift == "DRIFTED"]
    if differ:
        reasons.append(f"CloudFormation found drift in {', '.join(differ)}")
    if recorded is not None and recorded != resolved:
        keys = sorted(
            key
            for key in recorded.keys() | resolved.keys()
            if recorded.get(key) != resolved.get(key)
        )
        reasons.append(f"the file differs from what was deployed: {', '.join(keys)}")
    rules = state.changed_rules
    if rules and not isinstance(rules, NotRead):
        more = f" and {len(rules) - _SHOWN_RULES} more" if len(rules) > _SHOWN_RULES else ""
        shown = "; ".join(rules[:_SHOWN_RULES])
        reasons.append(f"rules of security groups were changed: {shown}{more}")
    if reasons:
        return DriftSignal("yes", tuple(reasons))
    unchecked = [stack.name for stack in stacks if stack.drift != "IN_SYNC"]
    if unchecked:
        reasons.append(f"CloudFormation has not compared {len(unchecked)} of {len(stacks)} stacks")
    if recorded is None:
        reasons.append("the deployed spec is unknown")
    if rules is None or isinstance(rules, NotRead):
        reasons.append("the rules of security groups are unknown")
    return DriftSignal("unknown" if reasons else "no", tuple(reasons))


def _deployment(cluster: Cluster, state: ClusterState) -> Iterator[OperatingFinding]:
    if nothing_there(state):
        yield OperatingFinding(
            code="not-deployed",
            severity="error",
            message=(
                f"nothing of {cluster.environment} is deployed in account {cluster.account}, "
                f"{cluster.region}"
            ),
            resources=(cluster.environment,),
            hint=f"cdk deploy -c env={cluster.environment} --all",
        )
        return
    for stack in known(state.stacks) or ():
        reason = f": {stack.reason}" if stack.reason else ""
        if stack.status.endswith("_IN_PROGRESS"):
            yield OperatingFinding(
                code="stack-changing",
                severity="info",
                message=f"{stack.name} is {stack.status}",
                resources=(stack.name,),
            )
        elif "FAILED" in stack.status or "ROLLBACK" in stack.status:
            # After a rollback of an update the stack works, with its former template.
            worked = stack.status == "UPDATE_ROLLBACK_COMPLETE"
            yield OperatingFinding(
                code="stack-failed",
                severity="warning" if worked else "error",
                message=f"{stack.name} is {stack.status}{reason}",
                resources=(stack.name,),
                hint="clusterwright diagnose FILE deploy",
            )
    if state.cluster is None and not isinstance(state.stacks, NotRead) and state.stacks:
        yield OperatingFinding(
            code="cluster-missing",
            severity="error",
            message=f"there is no cluster {cluster.environment}, and its stacks are deployed",
            resources=(cluster.environment,),
            hint="clusterwright diagnose FILE deploy",
        )


def _cluster(state: ClusterState) -> Iterator[OperatingFinding]:
    platform = known(state.cluster)
    if platform is None:
        return
    if not platform.healthy:
        failure = f": {platform.failure}" if platform.failure else ""
        yield OperatingFinding(
            code="cluster-not-in-service" if platform.steady else "cluster-changing",
            severity="error" if platform.steady else "info",
            message=f"the cluster {platform.name} is {platform.status}{failure}",
            resources=(platform.name,),
            hint="clusterwright diagnose FILE deploy" if platform.steady else None,
        )
    issues = [(platform.name, issue) for issue in platform.issues]
    issues += [(group.name, issue) for group in platform.groups for issue in group.issues]
    for name, issue in issues:
        yield OperatingFinding(
            code="platform-issue",
            severity="error",
            message=f"{name}: {issue}",
            resources=(name,),
        )
    for group in platform.groups:
        severity = _IMAGE_SEVERITY.get(group.image_status or "")
        if severity is not None:
            yield OperatingFinding(
                code="image-outdated",
                severity=severity,
                message=f"the image of {group.name} is {group.image_status}",
                resources=(group.name,),
                hint=f"aws sagemaker update-cluster-software --cluster-name {platform.name}",
            )


def _groups(groups: Sequence[GroupStatus], state: ClusterState) -> Iterator[OperatingFinding]:
    platform = known(state.cluster)
    if platform is None:
        return
    for group in groups:
        if group.status in ("Failed", "Degraded", "CREATE_FAILED", "DELETE_FAILED", "DEGRADED"):
            yield OperatingFinding(
                code="group-failed",
                severity="error",
                message=f"{group.name} is {group.status}",
                resources=(group.name,),
                hint="clusterwright diagnose FILE deploy",
            )
        if group.current is None or group.desired is None or group.current == group.desired:
            continue
        # HyperPod's cluster stays InService while a group scales.
        yield OperatingFinding(
            code="group-short" if group.current < group.desired else "group-large",
            severity="warning" if platform.healthy else "info",
            message=(
                f"{group.name} has {group.current} of {group.desired} instances, and the cluster "
                f"is {platform.status}"
            ),
            resources=(group.name,),
            hint="clusterwright diagnose FILE deploy",
        )


def _scheduler(state: ClusterState) -> Iterator[OperatingFinding]:
    unknown = state.scheduler.unknown
    if unknown is not None and _stale(state):
        yield OperatingFinding(
            code="state-stale",
            severity="warning",
            message=f"the scheduler's view is unknown: {unknown.reason}",
            hint=unknown.hint,
        )
    current = state.scheduler.current
    if current is None:
        return
    for name, daemon in (current.daemons or {}).items():
        if daemon == "down":
            yield OperatingFinding(
                code="daemon-down",
                severity="error",
                message=f"{name} is down on {current.controller or 'the controller'}",
                resources=(name,),
                hint="clusterwright diagnose FILE",
            )
    for partition in current.partitions or ():
        if partition.state not in (None, "UP"):
            yield OperatingFinding(
                code="partition-down",
                severity="warning",
                message=f"the partition {partition.name} is {partition.state}",
                resources=(partition.name,),
            )


def _drift(signal: DriftSignal) -> Iterator[OperatingFinding]:
    if signal.state == "yes":
        yield OperatingFinding(
            code="drift",
            severity="warning",
            message="; ".join(signal.reasons),
            hint="clusterwright drift FILE",
        )


def nothing_there(state: ClusterState) -> bool:
    """Whether neither a stack nor a cluster of the environment exists."""
    return state.stacks == () and state.cluster is None


def _stale(state: ClusterState) -> bool:
    """There is a published state, and it is too old: something is wrong with the controller."""
    return state.scheduler.state is not None and state.scheduler.unknown is not None


def _wanted(group: ComputeGroup) -> int:
    """Instances that always run where only the file says it (ParallelCluster)."""
    return counts(group).minimum if group.role == "compute" else group.count


def _sum(numbers: Iterable[int | None]) -> int | None:
    """The sum; None if one of them is unknown."""
    found = list(numbers)
    counted = [number for number in found if number is not None]
    return sum(counted) if len(counted) == len(found) else None
