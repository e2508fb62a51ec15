"""ListClusters, ListClusterNodes and DescribeClusterNode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.pagination import page, paged
from clusterwright_localaws.services.sagemaker import views
from clusterwright_localaws.services.sagemaker.events import aware
from clusterwright_localaws.services.sagemaker.state import (
    Cluster,
    Group,
    Node,
    clusters_of,
    find_node,
)

# The API reference states no default page size; the maximum of the model is used.
PAGE = 100


@operation("sagemaker", "ListClusters")
def list_clusters(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    found = [
        cluster
        for cluster in clusters_of(call).by_name.values()
        if request.get("NameContains", "") in cluster.name
        and _between(cluster.created_at, request)
        and request.get("TrainingPlanArn")
        in (None, *(group.plan_arn for group in cluster.groups.values()))
    ]
    by_name = request.get("SortBy") == "NAME"
    found.sort(
        key=lambda cluster: (cluster.name if by_name else "", cluster.created_at),
        reverse=request.get("SortOrder") == "Descending",
    )
    return paged(call, "ClusterSummaries", found, views.summary, default=PAGE, maximum=PAGE)


@operation("sagemaker", "ListClusterNodes")
def list_cluster_nodes(call: Call) -> Mapping[str, Any]:
    cluster = clusters_of(call).find(call.parameters["ClusterName"])
    stale = _stale_answer(cluster, call)
    if stale is not None:
        return stale
    answer = _nodes_of(cluster, call)
    if call.world.delays.node_list:
        cluster.listed[_listing(call)] = (call.now, answer)
    return answer


def _stale_answer(cluster: Cluster, call: Call) -> Mapping[str, Any] | None:
    """Return the last answer to the same request if it is younger than `delays.node_list`."""
    known = cluster.listed.get(_listing(call))
    if known is None or (call.now - known[0]).total_seconds() >= call.world.delays.node_list:
        return None
    return known[1]


def _listing(call: Call) -> str:
    return repr(sorted(call.parameters.items(), key=lambda entry: entry[0]))


def _nodes_of(cluster: Cluster, call: Call) -> Mapping[str, Any]:
    request = call.parameters
    part = request.get("InstanceGroupNameContains", "")
    found = [
        node
        for group in cluster.groups.values()
        if part in group.name
        for node in group.nodes
        if _between(node.launched_at, request)
    ]
    if request.get("SortBy") == "NAME":
        found.sort(key=lambda node: (node.group_name, node.number))
    else:
        found.sort(key=lambda node: node.launched_at)
    if request.get("SortOrder") == "Descending":
        found.reverse()
    everything: list[Node | tuple[Group, str]] = list(found)
    if request.get("IncludeNodeLogicalIds"):
        # "the response includes all nodes regardless of provisioning status" (API model)
        everything += [
            (group, logical_id)
            for group in cluster.groups.values()
            if part in group.name
            for logical_id in group.awaited
        ]
    entries, token = page(everything, call, default=PAGE, maximum=PAGE)
    now = call.now
    answer: dict[str, Any] = {
        "ClusterNodeSummaries": [
            views.awaited_summary(cluster, *each)
            if isinstance(each, tuple)
            else views.node_summary(cluster, each, now)
            for each in entries
        ]
    }
    return {**answer, "NextToken": token} if token else answer


@operation("sagemaker", "DescribeClusterNode")
def describe_cluster_node(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    cluster = clusters_of(call).find(request["ClusterName"])
    instance_id, logical_id = request.get("NodeId"), request.get("NodeLogicalId")
    if bool(instance_id) == bool(logical_id):
        raise AwsError("ValidationException", "Specify exactly one of NodeId and NodeLogicalId.")
    node = find_node(cluster, instance_id=instance_id, logical_id=logical_id)
    if node is None:
        for group in cluster.groups.values():
            if logical_id in group.awaited:
                return {"NodeDetails": views.awaited_details(group, logical_id)}
        raise AwsError(
            "ResourceNotFound",
            f"Instance with id {instance_id or logical_id} does not exist in cluster "
            f"{cluster.name}.",
        )
    return {"NodeDetails": views.node_details(cluster, node, call.now)}


def _between(moment: Any, request: Mapping[str, Any]) -> bool:
    after, before = request.get("CreationTimeAfter"), request.get("CreationTimeBefore")
    return not (after and moment < aware(after)) and not (before and moment > aware(before))
