"""BatchAdd-, BatchDelete-, BatchReboot- and BatchReplaceClusterNodes.

Limits and error codes are those of the API model (botocore 1.44.5) and its docstrings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.client_tokens import once
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.sagemaker import node_driver, operations, rules
from clusterwright_localaws.services.sagemaker.clusters import keep_trying
from clusterwright_localaws.services.sagemaker.provision import provision, remove
from clusterwright_localaws.services.sagemaker.state import (
    Cluster,
    Clusters,
    Group,
    Node,
    clusters_of,
    find_node,
)

MAX_NODES_PER_ADD = 50
# API model, BatchDeleteClusterNodes: "If you need to delete more than 99 instances, contact
# Support"; "NodeLogicalIds, InstanceIds, or both, with a combined maximum of 50 identifiers".
MAX_IDS_PER_DELETE = 99
MAX_WITH_LOGICAL_IDS_PER_DELETE = 50
# API model, ClientToken: "This token is valid for 8 hours."
TOKEN_LIFETIME = timedelta(hours=8)
Act = Callable[[Clusters, Cluster, Node], tuple[str, str] | None]
"""Apply an action to one node; return an error code and a message if it is refused."""


@operation("sagemaker", "BatchAddClusterNodes")
def batch_add(call: Call) -> Mapping[str, Any]:
    clusters = clusters_of(call)
    cluster = clusters.find(call.parameters["ClusterName"])
    if not cluster.continuous:
        raise rules.invalid(
            "BatchAddClusterNodes is only supported for clusters using Continuous as the "
            "NodeProvisioningMode."
        )
    asked, token = call.parameters["NodesToAdd"], call.parameters.get("ClientToken")
    if not token:
        added, failed = _add_nodes(call, clusters, cluster)
        return {"Successful": added, "Failed": failed}
    (added, failed), is_repeated = once(
        call.runtime,
        ("sagemaker", call.account, call.region),
        (call.operation, cluster.arn, token),
        {"NodesToAdd": asked},
        lambda: _add_nodes(call, clusters, cluster),
        mismatch=lambda: rules.invalid("The ClientToken was used with other parameters before."),
        lasts=TOKEN_LIFETIME,
    )
    return {"Successful": _again(cluster, added, call) if is_repeated else added, "Failed": failed}


def _add_nodes(
    call: Call, clusters: Clusters, cluster: Cluster
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Add the nodes of a request; return those that were added, and the errors of the others."""
    asked = call.parameters["NodesToAdd"]
    total = sum(entry["IncrementTargetCountBy"] for entry in asked)
    if total > MAX_NODES_PER_ADD:
        raise rules.invalid(f"At most {MAX_NODES_PER_ADD} nodes can be added per request.")
    errors = [(entry, _cannot_add(clusters, cluster, entry)) for entry in asked]
    failed = [error for _, error in errors if error is not None]
    accepted = [entry for entry, error in errors if error is None]
    _check_growth(call, clusters, cluster, accepted)
    added: list[dict[str, Any]] = []
    counts = operations.counts_of_groups(cluster, call.now)
    more: Counter[str] = Counter()
    for entry in accepted:
        more[entry["InstanceGroupName"]] += entry["IncrementTargetCountBy"]
    operations.begin_scaling(cluster, counts, call.now, more=more)
    for entry in accepted:
        added += _add(call, clusters, cluster, entry)
    keep_trying(clusters, cluster)
    return added, failed


def _add(
    call: Call, clusters: Clusters, cluster: Cluster, entry: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Add nodes to a group; nodes without capacity get logical ids and wait."""
    group = cluster.groups[entry["InstanceGroupName"]]
    before = {node.logical_id for node in group.nodes} | set(group.awaited)
    group.target_count += entry["IncrementTargetCountBy"]
    narrowed = {
        name: entry[name] for name in ("AvailabilityZones", "InstanceTypes") if name in entry
    }
    provision(
        clusters,
        cluster,
        [group],
        types=entry.get("InstanceTypes", ()),
        zones=entry.get("AvailabilityZones", ()),
    )
    now = call.now
    found = [(n.logical_id, n.status_at(now)) for n in group.nodes]
    found += [(logical_id, "Pending") for logical_id in group.awaited]
    return [
        {
            "NodeLogicalId": logical_id,
            "InstanceGroupName": group.name,
            "Status": status,
            **narrowed,
        }
        for logical_id, status in found
        if logical_id not in before
    ]


@operation("sagemaker", "BatchDeleteClusterNodes")
def batch_delete(call: Call) -> Mapping[str, Any]:
    ids = call.parameters.get("NodeIds", ())
    logical = call.parameters.get("NodeLogicalIds", ())
    limit = MAX_WITH_LOGICAL_IDS_PER_DELETE if logical else MAX_IDS_PER_DELETE
    if len(ids) + len(logical) > limit:
        raise rules.invalid(f"At most {limit} nodes can be deleted per request.")

    def delete(clusters: Clusters, cluster: Cluster, node: Node) -> tuple[str, str] | None:
        group = cluster.groups[node.group_name]
        if group.slurm_role == "Controller":
            return "NodeIdInUse", "Slurm controller nodes cannot be deleted."
        if node.gone_at is not None:
            return "InvalidNodeStatus", "The node is being deleted already."
        group.target_count -= 1
        if group.min_count is not None:
            group.min_count = min(group.min_count, group.target_count)
        remove(clusters, cluster, group, [node])
        return None

    cluster = clusters_of(call).find(call.parameters["ClusterName"])
    counts = operations.counts_of_groups(cluster, call.now)
    answer = _each(
        call,
        delete,
        not_found="NodeIdNotFound",
        code="Code",
        empty_lists=False,
    )
    operations.begin_scaling(cluster, counts, call.now)
    return answer


@operation("sagemaker", "BatchRebootClusterNodes")
def batch_reboot(call: Call) -> Mapping[str, Any]:
    def reboot(clusters: Clusters, cluster: Cluster, node: Node) -> tuple[str, str] | None:
        if node.status_at(call.now) not in ("Running", "Failure"):
            return "InvalidInstanceStatus", f"The node is {node.status_at(call.now)}."
        node_driver.reboot(clusters, cluster, node)
        return None

    return _each(call, reboot, not_found="InstanceIdNotFound", code="ErrorCode", empty_lists=True)


@operation("sagemaker", "BatchReplaceClusterNodes")
def batch_replace(call: Call) -> Mapping[str, Any]:
    def replace(clusters: Clusters, cluster: Cluster, node: Node) -> tuple[str, str] | None:
        if cluster.groups[node.group_name].slurm_role == "Controller":
            # "you cannot replace instances that are configured as Slurm controller nodes"
            return "InstanceIdInUse", "Slurm controller nodes cannot be replaced."
        if node.gone_at is not None:
            return "InvalidInstanceStatus", f"The node is {node.status_at(call.now)}."
        node_driver.replace(clusters, cluster, node)
        return None

    return _each(call, replace, not_found="InstanceIdNotFound", code="ErrorCode", empty_lists=True)


def _each(
    call: Call, act: Act, *, not_found: str, code: str, empty_lists: bool
) -> Mapping[str, Any]:
    """Apply an action to every named node, and group the results as in the API's answer."""
    clusters = clusters_of(call)
    cluster = clusters.find(call.parameters["ClusterName"])
    if not call.parameters.get("NodeIds") and not call.parameters.get("NodeLogicalIds"):
        raise rules.invalid("Specify NodeIds, NodeLogicalIds, or both.")
    if call.parameters.get("NodeLogicalIds") and empty_lists and not cluster.continuous:
        # API model, BatchRebootClusterNodes and BatchReplaceClusterNodes.
        raise rules.invalid(
            "NodeLogicalIds is only supported for clusters using Continuous as the "
            "NodeProvisioningMode."
        )
    answer: dict[str, list[Any]] = {
        "Successful": [],
        "Failed": [],
        "SuccessfulNodeLogicalIds": [],
        "FailedNodeLogicalIds": [],
    }
    for parameter, member, good, bad in (
        ("NodeIds", "NodeId", "Successful", "Failed"),
        ("NodeLogicalIds", "NodeLogicalId", "SuccessfulNodeLogicalIds", "FailedNodeLogicalIds"),
    ):
        for name in call.parameters.get(parameter, ()):
            node = find_node(
                cluster,
                instance_id=name if member == "NodeId" else None,
                logical_id=name if member == "NodeLogicalId" else None,
            )
            if node is not None:
                error = act(clusters, cluster, node)
            elif call.operation == "BatchDeleteClusterNodes" and _forget(cluster, name):
                error = None
            else:
                error = (not_found, f"{name} is not a node of cluster {cluster.name}.")
            if error is None:
                answer[good].append(name)
            else:
                answer[bad].append({member: name, code: error[0], "Message": error[1]})
    clusters.advance()
    return answer if empty_lists else {k: v for k, v in answer.items() if v}


def _forget(cluster: Cluster, logical_id: str) -> bool:
    """Delete a node that is not launched yet."""
    for group in cluster.groups.values():
        if logical_id in group.awaited:
            group.awaited.remove(logical_id)
            group.target_count -= 1
            return True
    return False


def _cannot_add(
    clusters: Clusters, cluster: Cluster, entry: Mapping[str, Any]
) -> dict[str, Any] | None:
    group = cluster.groups.get(entry["InstanceGroupName"])
    code, message = "", ""
    if group is None:
        code, message = "InstanceGroupNotFound", "There is no such instance group."
    elif group.status != "InService":
        code, message = "InvalidInstanceGroupStatus", f"The instance group is {group.status}."
    elif set(entry.get("InstanceTypes", ())) - set(group.instance_types):
        code, message = "IncompatibleInstanceTypes", "The instance group does not have the types."
    elif set(entry.get("AvailabilityZones", ())) - _zones(clusters, cluster, group):
        code, message = (
            "IncompatibleAvailabilityZones",
            "The subnets of the instance group are not in the Availability Zones.",
        )
    if not code:
        return None
    return {
        "InstanceGroupName": entry["InstanceGroupName"],
        "ErrorCode": code,
        "FailedCount": entry["IncrementTargetCountBy"],
        "Message": message,
        **{name: entry[name] for name in ("AvailabilityZones", "InstanceTypes") if name in entry},
    }


def _zones(clusters: Clusters, cluster: Cluster, group: Group) -> set[str]:
    config = group.specification.get("OverrideVpcConfig") or cluster.request.get("VpcConfig") or {}
    found = [clusters.network.subnet(subnet_id) for subnet_id in config.get("Subnets", ())]
    return {subnet.availability_zone for subnet in found if subnet is not None}


def _check_growth(
    call: Call, clusters: Clusters, cluster: Cluster, accepted: list[Mapping[str, Any]]
) -> None:
    more: Counter[str] = Counter()
    for entry in accepted:
        more[entry["InstanceGroupName"]] += entry["IncrementTargetCountBy"]
    before = {group.name: group.target_count for group in cluster.groups.values()}
    request = {
        "InstanceGroups": [
            {**group.specification, "InstanceCount": group.target_count + more[group.name]}
            for group in cluster.groups.values()
        ]
    }
    rules.check_quotas(call, clusters, before, request, cluster=cluster)


def _again(cluster: Cluster, added: list[dict[str, Any]], call: Call) -> list[Mapping[str, Any]]:
    """Return the same nodes with their latest status, for a repeated client token."""
    answer: list[Mapping[str, Any]] = []
    for entry in added:
        node = find_node(cluster, instance_id=None, logical_id=entry["NodeLogicalId"])
        waiting = any(entry["NodeLogicalId"] in g.awaited for g in cluster.groups.values())
        status = node.status_at(call.now) if node else "Pending" if waiting else "NotFound"
        answer.append({**entry, "Status": status})
    return answer


def unknown_nodes(cluster: Cluster, names: list[str]) -> AwsError | None:
    """Raise ResourceNotFound for the first id that is not a node of the cluster."""
    for name in names:
        if find_node(cluster, instance_id=name, logical_id=None) is None:
            return AwsError("ResourceNotFound", f"Instance {name} does not exist.")
    return None
