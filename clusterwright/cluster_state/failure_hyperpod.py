"""HyperPod's report of itself: the cluster, its nodes, and its events with their metadata."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any, Final

from clusterwright.aws.hyperpod import ClusterNode, DeployedCluster
from clusterwright.aws.hyperpod_events import event_metadata
from clusterwright.aws.session import AwsSession
from clusterwright.diagnosis.cluster_events import ClusterEvent, NodeStatus, Shortage

MAXIMUM_EVENTS: Final = 2000
MAXIMUM_DESCRIBED: Final = 200
"""DescribeClusterEvent is a call per event; repeated failures say the same."""


def nodes_of(nodes: Sequence[ClusterNode]) -> tuple[NodeStatus, ...]:
    """The states of nodes as evidence needs them."""
    return tuple(
        NodeStatus(
            instance=node.instance_id or "",
            group=node.group,
            status=node.status,
            message=node.message,
            name=node.hostname or "",
            launched=node.launched_at,
        )
        for node in nodes
    )


def satisfied_groups(
    cluster: DeployedCluster | None, nodes: Sequence[NodeStatus]
) -> frozenset[str]:
    """Groups that have all their instances, which all run."""
    idle = {node.group for node in nodes if node.status != "Running"}
    return frozenset(
        group.name
        for group in (cluster.groups if cluster is not None else ())
        if group.current_count == group.target_count and group.name not in idle
    )


def missing_nodes(cluster: DeployedCluster) -> tuple[Shortage, ...]:
    """Groups with fewer instances than their target, in a cluster that is not being changed."""
    if cluster.status not in ("InService", "Failed"):
        return ()
    return tuple(
        Shortage(group.name, group.current_count, group.target_count)
        for group in cluster.groups
        if group.current_count is not None
        and group.target_count is not None
        and group.current_count < group.target_count
    )


def needs_metadata(summary: Mapping[str, Any]) -> bool:
    """Whether an event's metadata may have a reason or a recovery that its text lacks."""
    return (
        summary.get("EventLevel") in ("Error", "Warn")
        or "slurm" in str(summary.get("Description")).lower()
    )


def event_of(summary: Mapping[str, Any], metadata: Mapping[str, Any]) -> ClusterEvent:
    """An event of ListClusterEvents with its metadata."""
    time = summary["EventTime"]
    return ClusterEvent(
        id=str(summary["EventId"]),
        time=time if time.tzinfo else time.replace(tzinfo=dt.UTC),
        description=str(summary.get("Description") or ""),
        level=str(summary.get("EventLevel") or "Info"),
        group=str(summary.get("InstanceGroupName") or ""),
        instance=str(summary.get("InstanceId") or ""),
        metadata=metadata,
    )


def described(session: AwsSession, cluster: str, summary: Mapping[str, Any]) -> ClusterEvent:
    """An event with its metadata, which is one call.

    Raises
    ------
    AwsUnavailable
        The event cannot be described.
    """
    return event_of(summary, event_metadata(session, cluster, str(summary["EventId"])))
