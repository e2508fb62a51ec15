"""How far an action on a node is, from the platform's and the scheduler's view."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Final, Literal

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_state.not_read import known
from clusterwright.cluster_state.results import ClusterState, PlatformNode
from clusterwright.operate.node_findings import DOWN, DRAIN
from clusterwright.operate.nodes import JoinedNode, joined_nodes
from clusterwright.operate.results import NodeAction, NodeVerb

_HELD: Final = "clusterwright acceptance"
"""How Slurm's reason begins for a node that is held until it is accepted."""

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
) -> Progress:
    """How far a reboot or a replacement is that was asked for at `asked_at`."""
    joined = joined_nodes(cluster, state)
    if cluster.on_hyperpod:
        if known(state.nodes) is None:
            return Progress("waiting", "the platform's view is unknown")
        found = next((n for n in joined if n.platform and _same(n.platform, action)), None)
        if found is None or found.platform is None:
            return Progress("waiting", "HyperPod does not list its instance")
        instance = found.platform.instance_id
        new = instance if instance != action.instance_id else None
        before = _platform(found.platform, verb, new)
        if before is not None:
            return before
    else:
        named = (n for n in joined if n.scheduler and n.scheduler.name == action.scheduler_name)
        found, new = next(named, None), None
        if found is None:
            return Progress("waiting", "Slurm does not have the node")
    return _scheduler(cluster, state, found, verb, new, asked_at)


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


def _platform(node: PlatformNode, verb: NodeVerb, new: str | None) -> Progress | None:
    """Progress on the platform; None once the instance runs."""
    message = f": {node.message}" if node.message else ""
    if verb == "replace" and new is None:
        return Progress("waiting", f"HyperPod has not replaced it yet ({node.state})")
    if node.condition == "failed":
        again = "; HyperPod does not try again by itself" if verb == "replace" else ""
        return Progress("failed", f"{node.state}{message}{again}", new)
    if node.condition != "up":
        return Progress("waiting", f"it is {node.state}{message}", new)
    return None


def _scheduler(
    cluster: Cluster,
    state: ClusterState,
    node: JoinedNode,
    verb: NodeVerb,
    new: str | None,
    asked_at: dt.datetime,
) -> Progress:
    current = state.scheduler.current
    if current is None:
        unknown = state.scheduler.unknown
        why = unknown.reason if unknown is not None else "it is unknown"
        return Progress("waiting", f"the scheduler's view: {why}", new)
    if node.scheduler is None:
        if not node.is_compute:
            return Progress("ready", "the instance runs", new)
        return Progress("waiting", "the instance runs; the scheduler does not have it yet", new)
    if verb == "reboot" and cluster.uses_slurm:
        booted = node.scheduler.boot_time
        if booted is None or booted < asked_at:
            return Progress("waiting", "the node has not booted since")
    if node.has_state(*DOWN):
        return Progress("waiting", f"the scheduler's state is {'+'.join(_states(node))}", new)
    return _acceptance(node, new, asked_at)


def _acceptance(node: JoinedNode, new: str | None, asked_at: dt.datetime) -> Progress:
    """A node without a record has no acceptance program; a record of before does not count."""
    acceptance = node.acceptance
    reason = (node.scheduler.reason if node.scheduler is not None else None) or ""
    if acceptance is None and not reason.startswith(_HELD):
        return Progress("ready", "it runs", new, node.has_state(*DRAIN))
    if acceptance is None or acceptance.state in ("new", "unknown"):
        return Progress("waiting", "it waits for acceptance", new)
    if acceptance.since is not None and acceptance.since < asked_at:
        return Progress("waiting", "it waits for acceptance", new)
    if acceptance.state == "rejected":
        return Progress("failed", f"acceptance rejected it: {acceptance.reason or 'unknown'}", new)
    return Progress("ready", "it runs and is accepted", new, node.has_state(*DRAIN))


def _states(node: JoinedNode) -> tuple[str, ...]:
    return (node.scheduler.states if node.scheduler is not None else None) or ()
