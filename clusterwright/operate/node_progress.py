"""How far an action on a node is, from the platform's and the scheduler's view."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_state.not_read import known
from clusterwright.cluster_state.published import NodeAcceptance
from clusterwright.cluster_state.results import ClusterState, PlatformNode
from clusterwright.operate.node_findings import DOWN, DRAIN
from clusterwright.operate.nodes import JoinedNode, joined_nodes
from clusterwright.operate.results import NodeAction, NodeVerb

_HELD: Final = "clusterwright acceptance"
"""How Slurm's reason begins for a node that is held until it is accepted."""

_NOT_THERE: Final = "the scheduler does not have the node"

Stage = Literal["waiting", "ready", "failed"]


@dataclass(frozen=True)
class Progress:
    """How far one action is; `ready` nodes can take jobs, once they are not drained."""

    stage: Stage
    reason: str
    new_instance_id: str | None = None
    drained: bool = False
    """Whether the scheduler starts no job on it."""


def progress(
    cluster: Cluster,
    state: ClusterState,
    action: NodeAction,
    verb: NodeVerb,
    *,
    asked_at: dt.datetime,
    rank: int = 0,
) -> Progress:
    """How far a reboot or a replacement is that was asked for at `asked_at`.

    `rank` is the number of replacements in the node's group that were asked for before it: where a
    replacement has nothing in common with its node, the first instance is that of the first node.
    """
    joined = joined_nodes(cluster, state)
    if (cluster.on_hyperpod or verb == "replace") and known(state.nodes) is None:
        return Progress("waiting", "the platform's view is unknown")
    found: JoinedNode | Progress
    if cluster.on_hyperpod:
        found = _in_hyperpod(joined, action, verb)
    elif verb == "replace":
        found = _instance_in_place(cluster, state, joined, action, asked_at, rank)
    else:
        found = _in_scheduler(joined, action) or Progress("waiting", _NOT_THERE)
    return (
        found
        if isinstance(found, Progress)
        else _scheduler(cluster, state, found, action, verb, asked_at)
    )


def _in_hyperpod(
    joined: Sequence[JoinedNode], action: NodeAction, verb: NodeVerb
) -> JoinedNode | Progress:
    """The node whose instance HyperPod runs, or how far it is."""
    found = next((n for n in joined if n.platform and _same(n.platform, action)), None)
    if found is None or found.platform is None:
        return Progress("waiting", "HyperPod does not list its instance")
    new = _new_instance(found, action)
    if verb == "replace" and new is None:
        return Progress("waiting", f"HyperPod has not replaced it yet ({found.platform.state})")
    again = "; HyperPod does not try again by itself" if verb == "replace" else ""
    return _platform(found.platform, new, again) or found


def _in_scheduler(joined: Sequence[JoinedNode], action: NodeAction) -> JoinedNode | None:
    named = (n for n in joined if n.scheduler and n.scheduler.name == action.scheduler_name)
    return next(named, None)


def _new_instance(node: JoinedNode, action: NodeAction) -> str | None:
    """The instance that took the place of the node's; None while it has its own."""
    instance = node.platform.instance_id if node.platform is not None else None
    return instance if instance != action.instance_id else None


def _instance_in_place(
    cluster: Cluster,
    state: ClusterState,
    joined: Sequence[JoinedNode],
    action: NodeAction,
    asked_at: dt.datetime,
    rank: int,
) -> JoinedNode | Progress:
    """The node with the instance that took the place of a terminated one and runs.

    A Slurm node keeps its name; elsewhere it is the instance of the group that was launched since.
    """
    launching = Progress("waiting", "its new instance has not been launched yet")
    if cluster.uses_slurm and action.scheduler_name is not None:
        named = _in_scheduler(joined, action)
        if named is None:
            return _powered_down(cluster, state, action)
        found = named
    else:
        since = asked_at.replace(microsecond=0)
        launched = sorted(
            (n.platform.launched_at, n.name, n)
            for n in joined
            if n.group == action.group
            and n.platform is not None
            and n.platform.instance_id != action.instance_id
            and n.platform.launched_at is not None
            and n.platform.launched_at >= since
        )
        if len(launched) <= rank:
            return launching
        found = launched[rank][2]
    new = _new_instance(found, action)
    if found.platform is None or new is None:
        return launching
    return _platform(found.platform, new) or found


def _powered_down(cluster: Cluster, state: ClusterState, action: NodeAction) -> Progress:
    """A Slurm node without an instance: a dynamic one gets it with its next job."""
    group = next((group for group in cluster.compute if group.name == action.group), None)
    if cluster.traits.service_runs_controller:
        fewest = group.min_count if group is not None else None
        is_dynamic = group is not None and fewest is not None and fewest < group.count
    else:
        # ParallelCluster's names, "Slurm guide for multiple queue mode": queue-dy-resource-1.
        is_dynamic = "-dy-" in (action.scheduler_name or "")
    current = state.scheduler.current
    nodes = (current.nodes if current is not None else None) or ()
    states = next((set(n.states or ()) for n in nodes if n.name == action.scheduler_name), None)
    if states is None:
        return Progress("waiting", _NOT_THERE)
    if is_dynamic and "POWERED_DOWN" in states and not states & {"POWERING_UP", *DOWN}:
        drained = bool(states & set(DRAIN))
        return Progress("ready", "Slurm launches an instance for its next job", None, drained)
    return Progress("waiting", f"the scheduler's state is {'+'.join(sorted(states))}")


def _same(node: PlatformNode, action: NodeAction) -> bool:
    """Whether it is the node of an action, or its replacement.

    A replacement has the logical id of the node, and its host name on Slurm (HyperPod keeps the
    address mostly).
    """
    if node.instance_id is not None and node.instance_id == action.instance_id:
        return True
    if node.logical_id and action.logical_id:
        return node.logical_id == action.logical_id
    return node.hostname is not None and node.hostname == action.hostname


def _platform(node: PlatformNode, new: str | None, again: str = "") -> Progress | None:
    """Progress on the platform; None once the instance runs."""
    message = f": {node.message}" if node.message else ""
    if node.condition == "failed":
        return Progress("failed", f"{node.state}{message}{again}", new)
    if node.condition != "up":
        return Progress("waiting", f"it is {node.state}{message}", new)
    return None


def _scheduler(
    cluster: Cluster,
    state: ClusterState,
    node: JoinedNode,
    action: NodeAction,
    verb: NodeVerb,
    asked_at: dt.datetime,
) -> Progress:
    new = _new_instance(node, action) if cluster.on_hyperpod or verb == "replace" else None
    current = state.scheduler.current
    if current is None:
        unknown = state.scheduler.unknown
        why = unknown.reason if unknown is not None else "it is unknown"
        return Progress("waiting", f"the scheduler's view: {why}", new)
    launched = node.platform.launched_at if new and node.platform is not None else None
    if launched is not None and current.written_at < launched:
        # A new instance can have the address, and so the name, of the one that it replaces.
        return Progress("waiting", "the scheduler's view is of before its launch", new)
    if node.scheduler is None:
        if not node.is_compute:
            return Progress("ready", "the instance runs", new)
        return Progress("waiting", "the instance runs; the scheduler does not have it yet", new)
    if verb == "reboot":
        booted = node.scheduler.boot_time
        if cluster.uses_slurm:
            same_boot = booted is None or booted < asked_at
        else:
            same_boot = action.boot_id is None or node.scheduler.boot_id == action.boot_id
        if same_boot:
            return Progress("waiting", "it is not known to have booted since")
    if node.has_state(*DOWN):
        return Progress("waiting", f"the scheduler's state is {'+'.join(_states(node))}", new)
    return _acceptance(cluster, node, new, asked_at)


def _acceptance(
    cluster: Cluster, node: JoinedNode, new: str | None, asked_at: dt.datetime
) -> Progress:
    """A record of before does not count.

    Without `acceptance.hold` nothing tests the node again, and it takes jobs.
    """
    acceptance = node.acceptance
    reason = (node.scheduler.reason if node.scheduler is not None else None) or ""
    drained = node.has_state(*DRAIN)
    if acceptance is None or not _is_of_now(acceptance, asked_at):
        # Slurm's controller records each held node, Kubernetes' those that have the taint.
        recorded = acceptance is not None or (cluster.uses_slurm and node.is_compute)
        if reason.startswith(_HELD) or (cluster.acceptance.hold and recorded):
            why = ""
            if acceptance is not None and acceptance.state == "unknown" and acceptance.reason:
                why = f", which is unknown: {acceptance.reason}"
            return Progress("waiting", f"it waits for acceptance{why}", new)
        untested = f", and is not tested again: clusterwright accept FILE --nodes {node.name}"
        return Progress("ready", f"it runs{untested if acceptance else ''}", new, drained)
    if acceptance.state == "rejected":
        return Progress("failed", f"acceptance rejected it: {acceptance.reason or 'unknown'}", new)
    return Progress("ready", "it runs and is accepted", new, drained)


def _is_of_now(acceptance: NodeAcceptance, asked_at: dt.datetime) -> bool:
    """Whether it is a result of after the action."""
    if acceptance.state not in ("accepted", "rejected"):
        return False
    return acceptance.since is None or acceptance.since >= asked_at


def _states(node: JoinedNode) -> tuple[str, ...]:
    return (node.scheduler.states if node.scheduler is not None else None) or ()
