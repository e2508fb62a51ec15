"""Cluster operations: ListClusterOperations and DescribeClusterOperation.

An operation is a scaling (UpdateCluster with other counts, BatchAddClusterNodes,
BatchDeleteClusterNodes) or deep health checks (StartClusterHealthCheck). A scaling is superseded
by the next one of the same group. AWS does not document whether the creation of a cluster is an
operation; here it is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.pagination import paged
from clusterwright_localaws.services.sagemaker.events import aware, record
from clusterwright_localaws.services.sagemaker.records import (
    IN_PROGRESS,
    ClusterOperation,
    Scaling,
)
from clusterwright_localaws.services.sagemaker.state import (
    WATCHERS,
    Cluster,
    Clusters,
    Group,
    clusters_of,
)

SUPERSEDED, DONE = "Superseded", "Done"
# Beyond this the oldest operations are dropped.
_MAX_OPERATIONS = 1_000


@operation("sagemaker", "ListClusterOperations")
def list_cluster_operations(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    cluster = _cluster(call)
    after, before = request.get("CreationTimeAfter"), request.get("CreationTimeBefore")
    found = [
        each
        for each in cluster.operations
        if request.get("Status") in (None, each.status)
        and request.get("Type") in (None, each.kind)
        and not (after and each.created_at < aware(after))
        and not (before and each.created_at > aware(before))
    ]
    if request.get("SortOrder") != "Ascending":
        found.reverse()
    return paged(
        call,
        "ClusterOperationSummaries",
        found,
        lambda each: _summary(cluster, each),
        maximum=100,
    )


@operation("sagemaker", "DescribeClusterOperation")
def describe_cluster_operation(call: Call) -> Mapping[str, Any]:
    cluster = _cluster(call)
    for each in cluster.operations:
        if each.id == call.parameters["OperationId"]:
            return {**_summary(cluster, each), **_details(each)}
    raise AwsError(
        "ResourceNotFound", f"Operation {call.parameters['OperationId']} does not exist."
    )


def counts_of(group: Group, now: datetime) -> dict[str, int]:
    """Return the counts of a group as an operation has them."""
    found = {
        "CurrentCount": sum(node.status_at(now) != "Pending" for node in group.live()),
        "TargetCount": group.target_count,
    }
    return found if group.min_count is None else {**found, "MinCount": group.min_count}


def counts_of_groups(cluster: Cluster, now: datetime) -> dict[str, dict[str, int]]:
    """Return the counts of every group by name, to be compared after a change."""
    refresh(cluster, now)
    return {group.name: counts_of(group, now) for group in cluster.groups.values()}


def begin_scaling(
    cluster: Cluster,
    before: Mapping[str, Mapping[str, int]],
    now: datetime,
    *,
    more: Mapping[str, int] | None = None,
) -> None:
    """Record a scaling of the groups whose counts differ from those `before`, if there are any.

    `more` has the instances that are yet to be added to the targets, by group.
    """
    scalings = []
    for name in {**before, **cluster.groups}:
        group = cluster.groups.get(name)
        original = dict(before.get(name, {"CurrentCount": 0, "TargetCount": 0}))
        desired = counts_of(group, now) if group is not None else {"TargetCount": 0}
        desired.pop("CurrentCount", None)
        desired["TargetCount"] += (more or {}).get(name, 0)
        if all(original.get(key) == desired.get(key) for key in ("TargetCount", "MinCount")):
            continue
        scalings.append(Scaling(name, original, desired))
    if not scalings:
        return
    changed = {scaling.group for scaling in scalings}
    for earlier in cluster.operations:
        for scaling in earlier.scalings:
            if scaling.group in changed and scaling.status == IN_PROGRESS:
                scaling.status = SUPERSEDED
        _conclude(earlier)
    begun = _add(cluster, ClusterOperation("Scaling", now, scalings=scalings))
    for scaling in scalings:
        group = cluster.groups.get(scaling.group)
        if group is None:
            continue
        group.operation_id = begun.id
        # Scaling that succeeds emits warnings, too (`hyperpod-mental-model.md`); the text is ours.
        record(
            cluster,
            f"Instance Group {group.name} Scaling in Cluster {cluster.name} is in progress",
            now,
            level="Warn",
            group=group,
            metadata={
                "InstanceGroupScaling": {
                    "InstanceCount": scaling.original["CurrentCount"],
                    "TargetCount": scaling.desired["TargetCount"],
                    "MinCount": scaling.desired.get("MinCount", 0),
                }
            },
        )


def begin_health_checks(
    cluster: Cluster, configurations: Iterable[Mapping[str, Any]], now: datetime
) -> ClusterOperation:
    """Record deep health checks."""
    checks = [dict(each) for each in configurations]
    return _add(cluster, ClusterOperation("DeepHealthCheck", now, checks=checks))


def refresh(cluster: Cluster, now: datetime) -> None:
    """Conclude the operations whose groups have the requested nodes or whose checks ended."""
    for each in cluster.operations:
        if each.status != IN_PROGRESS:
            continue
        for scaling in each.scalings:
            if scaling.status == IN_PROGRESS and _is_scaled(cluster, scaling, now):
                scaling.status = DONE
                group = cluster.groups.get(scaling.group)
                if group is not None and group.operation_id == each.id:
                    group.operation_id = None
        if each.checks and not _is_checked(cluster, each, now):
            continue
        _conclude(each)


def _refresh_all(clusters: Clusters, now: datetime) -> None:
    for cluster in clusters.by_name.values():
        if any(each.status == IN_PROGRESS for each in cluster.operations):
            refresh(cluster, now)


WATCHERS.append(_refresh_all)


def _conclude(each: ClusterOperation) -> None:
    statuses = {scaling.status for scaling in each.scalings}
    if IN_PROGRESS not in statuses and each.status == IN_PROGRESS:
        each.status = SUPERSEDED if SUPERSEDED in statuses else DONE


def _is_scaled(cluster: Cluster, scaling: Scaling, now: datetime) -> bool:
    group = cluster.groups.get(scaling.group)
    if group is None:
        return True
    if group.target_count != scaling.desired["TargetCount"]:
        return True  # rolled back: nothing of it is in progress
    return len(group.nodes) == group.target_count and not any(
        node.status_at(now) in ("Pending", "ShuttingDown") for node in group.nodes
    )


def _is_checked(cluster: Cluster, each: ClusterOperation, now: datetime) -> bool:
    return not any(
        node.status_at(now) == "DeepHealthCheckInProgress" and node.group_name in groups
        for groups in [{check["InstanceGroupName"] for check in each.checks}]
        for node in cluster.nodes()
    )


def _add(cluster: Cluster, begun: ClusterOperation) -> ClusterOperation:
    cluster.operations.append(begun)
    del cluster.operations[:-_MAX_OPERATIONS]
    return begun


def _cluster(call: Call) -> Cluster:
    cluster = clusters_of(call).find(call.parameters["ClusterName"])
    refresh(cluster, call.now)
    return cluster


def _summary(cluster: Cluster, each: ClusterOperation) -> dict[str, Any]:
    return {
        "OperationId": each.id,
        "ClusterArn": cluster.arn,
        "Type": each.kind,
        "Status": each.status,
        "CreationTime": each.created_at,
    }


def _details(each: ClusterOperation) -> dict[str, Any]:
    if each.kind == "DeepHealthCheck":
        return {"DeepHealthCheckDetails": each.checks}
    return {
        "ScalingDetails": [
            {
                "InstanceGroupName": scaling.group,
                "Status": scaling.status,
                "Original": scaling.original,
                "Desired": scaling.desired,
            }
            for scaling in each.scalings
        ]
    }
