"""What `clusterwright node` would do: which nodes, by which means, at which cost."""

from __future__ import annotations

import datetime as dt
import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_state.not_read import NotRead, known
from clusterwright.cluster_state.published import RunningJob, nodes_not_read, not_readable
from clusterwright.cluster_state.results import ClusterState
from clusterwright.operate.capacity import (
    REPLACEMENT_MINUTES,
    RESTART_MINUTES,
    idle_nodes,
    launchable,
)
from clusterwright.operate.cost_now import NodeRates
from clusterwright.operate.node_findings import DOWN, DRAIN
from clusterwright.operate.nodes import JoinedNode, joined_nodes, node_status
from clusterwright.operate.results import JobHit, NodeAction, NodeMeans, NodePlan, NodeVerb
from clusterwright.operate.status import unknown_of

MAXIMUM_NODES: Final = 25
"""NodeIds of BatchRebootClusterNodes and BatchReplaceClusterNodes (botocore 1.44.5)."""

REBOOT_MINUTES: Final = (1, 3)
"""Of a HyperPod node (observed, awslabs/awsome-distributed-ai, hyperpod-mental-model.md,
2026-07-23)."""

AGENT_ACTIONS: Final = ("Action:Reboot", "Action:Replace")
"""Reasons by which HyperPod's health agent asks for an action; HyperPod compares them exactly."""

DRAIN_RESERVATION: Final = "clusterwright_drain_"
"""With the node's name, the reservation that drains a node where the platform replaces nodes whose
state is DRAINED (`lifecycle_scripts/clusterwright_state/requests.py`)."""

AGENT_TIME: Final = dt.timedelta(minutes=15)
"""How long HyperPod's own recovery goes first."""

_MINUTES: Final = {"reboot": REBOOT_MINUTES, "replace": REPLACEMENT_MINUTES}

_STOPPING: Final[tuple[NodeMeans, ...]] = ("hyperpod", "ec2")
"""Means by which jobs on the nodes stop."""


class UnknownNode(Exception):
    """The cluster has no node of a name.

    Attributes
    ----------
    hint:
        Names that are close, or where the names are.
    """

    def __init__(self, name: str, hint: str) -> None:
        super().__init__(f"the cluster has no node {name}")
        self.hint = hint


def means_of(cluster: Cluster, verb: NodeVerb) -> NodeMeans:
    """How a verb is carried out on the cluster's platform.

    ParallelCluster, PCS and EKS have no API that replaces a node: they start an instance in place
    of one that was terminated.
    """
    if verb in ("drain", "resume"):
        return "controller" if cluster.uses_slurm else "kubernetes"
    if cluster.on_hyperpod:
        return "hyperpod"
    return "controller" if cluster.uses_slurm and verb == "reboot" else "ec2"


def node_plan(
    cluster: Cluster,
    state: ClusterState,
    rates: NodeRates,
    verb: NodeVerb,
    names: Sequence[str],
    because: str,
    *,
    file: str,
    without_scheduler: bool,
) -> NodePlan:
    """What will be done with the named nodes; nothing is done if one of them is refused.

    Raises
    ------
    UnknownNode
        Both views are known, and neither has a node of a name.
    """
    nodes = joined_nodes(cluster, state)
    chosen = _chosen(nodes, state, names)
    means = means_of(cluster, verb)
    asked = _Asked(cluster, state, verb, means, without_scheduler)
    actions = tuple(asked.action(name, node) for name, node in chosen)
    targets = [
        node
        for (_, node), action in zip(chosen, actions, strict=True)
        if node is not None and action.refused is None and action.unchanged is None
    ]
    jobs = _jobs(state, targets)
    stop = means in _STOPPING
    node_minutes, usd = _cost(verb, means, targets, jobs if stop else [], nodes, rates)
    current = state.scheduler.current
    unread = () if current is None else not_readable(current, "running")
    hourly = [rates.of_group(node.group) for node in targets]
    priced = [rate for rate in hourly if rate is not None]
    return NodePlan(
        file=file,
        environment=cluster.environment,
        platform=cluster.platform,
        account=cluster.account,
        region=cluster.region,
        verb=verb,
        because=because,
        means=means,
        drains_first=stop
        and state.scheduler.current is not None
        and any(node.scheduler is not None for node in targets),
        actions=actions,
        jobs=None
        if jobs is None
        else tuple(JobHit(job.id, job.name, job.user, len(job.nodes or ())) for job in jobs),
        jobs_stop=stop,
        effects=tuple(_effects(cluster, verb, means)),
        warnings=tuple(_warnings(cluster, state, verb, means, targets, jobs, nodes)),
        node_minutes=node_minutes,
        usd=usd,
        usd_per_hour=sum(priced, Decimal(0)) if len(priced) == len(hourly) else None,
        unknown=unknown_of([state.nodes, state.scheduler.unknown, *unread]),
    )


def _chosen(
    nodes: Sequence[JoinedNode], state: ClusterState, names: Sequence[str]
) -> list[tuple[str, JoinedNode | None]]:
    """Each named node once; None where a view that may have it is unknown."""
    found: dict[str, tuple[str, JoinedNode | None]] = {}
    complete = known(state.nodes) is not None and state.scheduler.unknown is None
    for name in names:
        node = next((each for each in nodes if name in each.names), None)
        if node is None and complete:
            close = difflib.get_close_matches(name, [each.name for each in nodes])
            hint = f"did you mean {', '.join(close)}?" if close else "clusterwright status FILE"
            raise UnknownNode(name, hint)
        found.setdefault(name if node is None else node.name, (name, node))
    return list(found.values())


@dataclass(frozen=True)
class _Asked:
    """A verb for the nodes of a cluster."""

    cluster: Cluster
    state: ClusterState
    verb: NodeVerb
    means: NodeMeans
    without_scheduler: bool

    def action(self, name: str, node: JoinedNode | None) -> NodeAction:
        if node is None:
            missing = (self.state.nodes, self.state.scheduler.unknown)
            reasons = [part.reason for part in missing if isinstance(part, NotRead)]
            reason = "; ".join(dict.fromkeys(reasons)) or "there is no cluster"
            return NodeAction(
                name, None, None, None, None, None, "unknown", reason, unknown=bool(reasons)
            )
        row = node_status(node, self.state)
        platform = node.platform
        refused, unknown = self._refused(node)
        return NodeAction(
            node.name,
            node.group,
            row.instance_id,
            platform.logical_id if platform is not None else None,
            platform.hostname if platform is not None else None,
            node.scheduler.name if node.scheduler is not None else None,
            " / ".join(part for part in (row.platform_state, row.scheduler_state) if part),
            refused,
            self._unchanged(node) if refused is None else None,
            unknown,
            node.has_state(*DRAIN),
            node.scheduler.boot_id if node.scheduler is not None else None,
        )

    def _refused(self, node: JoinedNode) -> tuple[str | None, bool]:
        """Why it cannot be done, and whether that is because something is unknown."""
        if node.role == "controller":
            return "it is the controller: the whole cluster would stop", False
        if self.means in _STOPPING:
            return self._refused_by_platform(node)
        return self._refused_by_scheduler(node)

    def _refused_by_scheduler(self, node: JoinedNode) -> tuple[str | None, bool]:
        unknown = self._scheduler_unknown()
        if unknown is not None:
            return unknown, True
        if not node.is_compute:
            return f"it is a {node.role} node, on which no job runs", False
        if node.scheduler is None:
            return f"{self.scheduler} does not have the node", False
        reason = node.scheduler.reason
        if self.verb == "resume" and reason in AGENT_ACTIONS:
            return f"HyperPod's health agent drained it: {reason}", False
        acceptance = node.acceptance
        if self.verb == "resume" and acceptance is not None and acceptance.state != "accepted":
            why = f": {acceptance.reason}" if acceptance.reason else ""
            return f"acceptance: {acceptance.state}{why}", False
        return None, False

    @property
    def scheduler(self) -> str:
        return "Slurm" if self.cluster.uses_slurm else "Kubernetes"

    def _refused_by_platform(self, node: JoinedNode) -> tuple[str | None, bool]:
        platform = node.platform
        listed = known(self.state.nodes) is not None
        if platform is None and listed and self.cluster.traits.managed_node_groups:
            command = f"kubectl delete node {node.name}"
            return (
                f"it is in no node group: Karpenter ends its instance after {command}, and starts "
                "another when pods need one"
            ), False
        if platform is None:
            lister = "HyperPod" if self.cluster.on_hyperpod else "EC2"
            return f"{lister} has no instance of it" if listed else "its instance is unknown", (
                not listed
            )
        if platform.instance_id is None:
            return "it has no instance yet", False
        if platform.condition in ("starting", "ending"):
            return f"it is {platform.state}", False
        unknown = self._scheduler_unknown() or self._jobs_unknown()
        if unknown is not None and not self.without_scheduler:
            return f"{unknown}; --without-scheduler acts without knowing the jobs on it", True
        scheduler = node.scheduler
        if scheduler is not None and scheduler.reason in AGENT_ACTIONS:
            since = scheduler.reason_at
            first = since is None or self.state.read_at - since < AGENT_TIME
            if first and self.cluster.resilience.node_recovery == "automatic":
                return (
                    f"HyperPod's health agent asked for {scheduler.reason} already: give it "
                    "15 minutes"
                ), False
        return None, False

    def _scheduler_unknown(self) -> str | None:
        """Why the scheduler's view cannot be relied on; None if it can."""
        unknown, current = self.state.scheduler.unknown, self.state.scheduler.current
        if unknown is not None:
            return unknown.reason
        if self.cluster.uses_slurm and (current is None or current.running is None):
            return "the jobs on it are unknown: the controller could not read them"
        daemons = (current.daemons if current is not None else None) or {}
        if daemons.get("slurmctld") == "down":
            return "slurmctld is down"
        return None

    def _jobs_unknown(self) -> str | None:
        """Why it is unknown whether a running job is on the node; None if it is known."""
        current = self.state.scheduler.current
        jobs = current.jobs_on_unknown_nodes if current is not None else ()
        return f"the jobs on it are unknown: {nodes_not_read(jobs)}" if jobs else None

    def _unchanged(self, node: JoinedNode) -> str | None:
        drained = node.has_state(*DRAIN) or self._is_reserved(node)
        if self.verb == "drain" and drained:
            reason = node.scheduler.reason if node.scheduler is not None else None
            return f"it is drained already: {reason}" if reason else "it is drained already"
        if self.verb == "resume" and not drained and not node.has_state(*DOWN):
            return "it is not drained"
        return None

    def _is_reserved(self, node: JoinedNode) -> bool:
        """Whether the reservation of a drain keeps jobs from it; it may be in others too."""
        current, ours = self.state.scheduler.current, f"{DRAIN_RESERVATION}{node.name}"
        if node.scheduler is None or current is None:
            return False
        return node.scheduler.reservation == ours or any(
            each.name == ours and node.name in (each.nodes or ())
            for each in current.reservations or ()
        )


def _jobs(state: ClusterState, targets: Sequence[JoinedNode]) -> list[RunningJob] | None:
    """Running jobs on the nodes; None if unknown."""
    current = state.scheduler.current
    return None if current is None else current.jobs_on({node.name for node in targets})


def _cost(
    verb: NodeVerb,
    means: NodeMeans,
    targets: Sequence[JoinedNode],
    stopped: Sequence[RunningJob] | None,
    nodes: Sequence[JoinedNode],
    rates: NodeRates,
) -> tuple[tuple[int, int] | None, tuple[Decimal, Decimal] | None]:
    """Node-minutes that are lost, and their price: of the nodes, and of jobs that stop."""
    if verb == "resume" or not targets:
        return (0, 0), (Decimal(0), Decimal(0))
    minutes = _MINUTES.get(verb)
    if minutes is None or means != "hyperpod" or stopped is None:
        return None, None
    names = {node.name for node in targets}
    others = {name for job in stopped for name in job.nodes or ()} - names
    low = len(targets) * minutes[0] + len(others) * RESTART_MINUTES[0]
    high = len(targets) * minutes[1] + len(others) * RESTART_MINUTES[1]
    own = _hourly(targets, rates)
    lost = _hourly([node for node in nodes if node.name in others], rates)
    if own is None or lost is None:
        return (low, high), None
    usd = tuple((own * minutes[end] + lost * RESTART_MINUTES[end]) / 60 for end in (0, 1))
    return (low, high), (usd[0], usd[1])


def _hourly(nodes: Sequence[JoinedNode], rates: NodeRates) -> Decimal | None:
    found = [rates.of_group(node.group) for node in nodes]
    priced = [rate for rate in found if rate is not None]
    return sum(priced, Decimal(0)) if len(priced) == len(found) else None


def _histories(targets: Sequence[JoinedNode]) -> Iterator[str]:
    for node in targets:
        past = node.history
        if past is not None and past.advice == "replace":
            yield f"{node.name}: its history says to replace it: {past.reason}"


def _effects(cluster: Cluster, verb: NodeVerb, means: NodeMeans) -> Iterator[str]:
    if means == "controller":
        yield {
            "drain": "Slurm starts no new job on the nodes; running jobs go on",
            "resume": "Slurm starts jobs on the nodes again",
        }.get(verb, "Slurm reboots each node when its jobs have ended, and resumes it")
    elif means == "kubernetes":
        yield {
            "drain": "Kubernetes schedules no new pod on the nodes; running pods go on",
            "resume": "Kubernetes schedules pods on the nodes again",
        }[verb]
    elif verb == "reboot":
        by = "HyperPod" if means == "hyperpod" else "EC2"
        yield f"{by} reboots the instances: jobs on them stop"
        yield "lifecycle scripts do not run again"
    else:
        if means == "hyperpod":
            yield "HyperPod starts new instances in their place: jobs on the nodes stop"
        else:
            yield (
                "EC2 terminates the instances, and "
                f"{cluster.traits.starts_instances} starts new ones: jobs on the nodes stop"
            )
        yield "the root volume, additional EBS volumes and the instance store are lost"


def _warnings(
    cluster: Cluster,
    state: ClusterState,
    verb: NodeVerb,
    means: NodeMeans,
    targets: Sequence[JoinedNode],
    jobs: Sequence[RunningJob] | None,
    nodes: tuple[JoinedNode, ...],
) -> Iterator[str]:
    if verb == "resume" or not targets:
        return
    stop = means in _STOPPING
    if stop and jobs is None:
        yield "the jobs on the nodes are unknown, and stop"
    names = {node.name for node in targets}
    if verb == "reboot":
        yield from _histories(targets)
    for group in cluster.compute:
        mine = [node for node in targets if node.group == group.name]
        if not mine:
            continue
        if group.role == "login":
            yield f"sessions of users on {group.name} end"
            continue
        needed = len({n for job in jobs or () for n in job.nodes or ()} & {m.name for m in mine})
        if cluster.uses_slurm and state.scheduler.current is not None and stop and needed:
            idle = [n for n in idle_nodes(group.name, state, nodes) if n not in names]
            if len(idle) < needed:
                yield (
                    f"{group.name}: jobs lose {needed} nodes and {len(idle)} others are idle, so "
                    "they wait until the nodes are back"
                )
        if verb == "replace" and launchable(group, state) == 0:
            yield f"{group.name}: its {group.capacity.kind} has no free instance now"
        ends = _ends(state, group.capacity)
        if verb == "replace" and ends is not None:
            left = int((ends - state.read_at).total_seconds() // 60)
            if left <= REPLACEMENT_MINUTES[1]:
                yield f"{group.name}: its {group.capacity.kind} ends in {left} min"


def _ends(state: ClusterState, capacity: object) -> dt.datetime | None:
    """The end of a group's purchase; None without one, or if unknown."""
    name = getattr(capacity, "arn", None) or getattr(capacity, "id", None)
    found = known(state.capacity.get(str(name)))
    return found.ends if found is not None else None
