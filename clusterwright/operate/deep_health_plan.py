"""What HyperPod's deep health checks of running nodes do, hit and cost, before they start.

Sources: Amazon SageMaker AI Developer Guide, "Deep health checks" (Slurm: the nodes are in a
maintenance reservation meanwhile; connectivity needs two nodes); botocore 1.44.5,
StartClusterHealthCheck ("The unhealthy nodes will be automatically rebooted or replaced").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from clusterwright.catalog import Catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_state.published import RunningJob
from clusterwright.cluster_state.results import ClusterState
from clusterwright.operate.acceptance_results import (
    DEEP_HEALTH_MINUTES,
    DeepHealthPlan,
    DeepHealthTarget,
    GroupPlan,
    HitJob,
)
from clusterwright.operate.cost_now import NodeRates
from clusterwright.operate.nodes import JoinedNode
from clusterwright.platforms import accelerators
from clusterwright.platforms.hyperpod.instance_groups import HEALTH_CHECKS

_CONNECTIVITY: Final = "InstanceConnectivity"
_CENT: Final = Decimal("0.01")
_NO_DURATION: Final = "no source states how long the checks take on Neuron devices"


def deep_health_plan(
    cluster: Cluster,
    catalog: Catalog,
    state: ClusterState,
    rates: NodeRates,
    nodes: Sequence[JoinedNode],
    *,
    named: bool,
) -> DeepHealthPlan:
    """The plan for `nodes`, of which those with jobs are tested only if they are `named`."""
    groups = {group.name: group for group in cluster.compute}
    reasons: list[tuple[str, str]] = []
    targets = []
    for node in nodes:
        reason = _why_not(node, groups, catalog)
        if reason is None and not named and _jobs(state, [node]):
            reason = "a job runs on it"
        if reason is None:
            targets.append(node)
        else:
            reasons.append((node.name, reason))
    checks = {
        group: _checks(cluster, [node for node in targets if node.group == group])
        for group in groups
        if any(node.group == group for node in targets)
    }
    jobs = _jobs(state, targets)
    return DeepHealthPlan(
        targets=tuple(_target(node) for node in targets),
        left_out=() if named else tuple(reasons),
        refused=tuple(reasons) if named else (),
        jobs=None if jobs is None else tuple(HitJob(job.id, len(job.nodes or ())) for job in jobs),
        checks=checks,
        groups=tuple(_costs(groups, checks, targets, catalog, rates)),
    )


def _target(node: JoinedNode) -> DeepHealthTarget:
    platform = node.platform
    assert platform is not None
    assert platform.instance_id is not None
    group = node.group or ""
    return DeepHealthTarget(node.name, group, platform.instance_id, platform.instance_type)


def _why_not(node: JoinedNode, groups: Mapping[str, ComputeGroup], catalog: Catalog) -> str | None:
    group = groups.get(node.group or "")
    if group is None:
        return "its group is not in the file"
    if accelerators.family(group.instance_type, catalog) == "none":
        return f"HyperPod tests accelerated instances only, and {group.instance_type} is none"
    platform = node.platform
    if platform is None or platform.instance_id is None or platform.condition != "up":
        state = "absent" if platform is None else platform.state
        return f"it does not run on the platform ({state})"
    return None


def _jobs(state: ClusterState, nodes: Iterable[JoinedNode]) -> list[RunningJob] | None:
    current = state.scheduler.current
    return None if current is None else current.jobs_on({node.name for node in nodes})


def _checks(cluster: Cluster, nodes: Sequence[JoinedNode]) -> tuple[str, ...]:
    """Those of the file, or all; connectivity needs two nodes."""
    names = [HEALTH_CHECKS[name] for name in cluster.resilience.deep_health_checks]
    names = names or [*HEALTH_CHECKS.values()]
    return tuple(
        name for name in names if name != _CONNECTIVITY or len(nodes) > 1 or names == [name]
    )


def _costs(
    groups: Mapping[str, ComputeGroup],
    checks: Mapping[str, tuple[str, ...]],
    targets: Sequence[JoinedNode],
    catalog: Catalog,
    rates: NodeRates,
) -> Iterable[GroupPlan]:
    for name in checks:
        group = groups[name]
        count = sum(node.group == name for node in targets)
        if accelerators.family(group.instance_type, catalog) != "nvidia":
            yield GroupPlan(name, group.instance_type, count, 0, None, _NO_DURATION)
            continue
        rate = rates.rate(group.instance_type, group.capacity.kind)
        cost = None
        if rate.usd_per_hour is not None:
            cost = rate.usd_per_hour * count * DEEP_HEALTH_MINUTES[1] / 60
            cost = cost.quantize(_CENT, ROUND_HALF_UP)
        reason = None if cost is not None else rate.reason or "no source states the price"
        yield GroupPlan(
            name, group.instance_type, count, DEEP_HEALTH_MINUTES[1] * 60, cost, reason
        )
