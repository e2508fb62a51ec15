"""BatchAdd-, BatchDelete-, BatchReboot- and BatchReplaceClusterNodes.

Limits and error codes are those of the API model (botocore 1.44.5) and its docstrings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from clusterwright.localaws import facts
from clusterwright.localaws.call import AwsError, Call, operation
from clusterwright.localaws.services.sagemaker import nodes_driver, rules
from clusterwright.localaws.services.sagemaker.clusters import keep_trying
from clusterwright.localaws.services.sagemaker.events import record
from clusterwright.localaws.services.sagemaker.provision import provision, remove
from clusterwright.localaws.services.sagemaker.state import (
    Cluster,
    Clusters,
    Group,
    Node,
    clusters_of,
    find_node,
)

MAX_NODES_PER_ADD = 50
Act = Callable[[Clusters, Cluster, Node], tuple[str, str] | None]
"""Do it to one node, or say the error code and the message."""


@operation("sagemaker", "BatchAddClusterNodes")
def batch_add(call: Call) -> Mapping[str, Any]:
    clusters = clusters_of(call)
    cluster = clusters.find(call.parameters["ClusterName"])
    if not cluster.continuous:
        raise rules.invalid(
            "BatchAddClusterNodes is only supported for clusters using Continuous as the "
            "NodeProvisioningMode."
        )
    token = call.parameters.get("ClientToken")
    if token and token in cluster.tokens:
        return {"Successful": _again(cluster, cluster.tokens[token], call), "Failed": []}
    asked = call.parameters["NodesToAdd"]
    total = sum(entry["IncrementTargetCountBy"] for entry in asked)
    if total > MAX_NODES_PER_ADD:
        raise rules.invalid(f"At most {MAX_NODES_PER_ADD} nodes can be added per request.")
    failed = [error for entry in asked if (error := _cannot_add(clusters, cluster, entry))]
    refused = {error["InstanceGroupName"] for error in failed}
    accepted = [entry for entry in asked if entry["InstanceGroupName"] not in refused]
    _check_growth(call, clusters, cluster, accepted)
    added: list[dict[str, Any]] = []
    for entry in accepted:
        group = cluster.groups[entry["InstanceGroupName"]]
        known = {node.logical_id for node in group.nodes}
        group.target_count += entry["IncrementTargetCountBy"]
        provision(clusters, cluster, [group])
        added += [
            {
                "NodeLogicalId": node.logical_id,
                "InstanceGroupName": group.name,
                "Status": node.status_at(call.now),
            }
            for node in group.nodes
            if node.logical_id not in known
        ]
    keep_trying(clusters, cluster)
    if token:
        cluster.tokens[token] = added
    return {"Successful": added, "Failed": failed}


@operation("sagemaker", "BatchDeleteClusterNodes")
def batch_delete(call: Call) -> Mapping[str, Any]:
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

    return _each(
        call,
        delete,
        not_found="NodeIdNotFound",
        code="Code",
        empty_lists=False,
    )


@operation("sagemaker", "BatchRebootClusterNodes")
def batch_reboot(call: Call) -> Mapping[str, Any]:
    def reboot(clusters: Clusters, cluster: Cluster, node: Node) -> tuple[str, str] | None:
        if node.status_at(call.now) not in ("Running", "Failure"):
            return "InvalidInstanceStatus", f"The node is {node.status_at(call.now)}."
        node.status = node.message = None
        nodes_driver.start(clusters, cluster, node, "reboot")
        _say(
            cluster,
            node,
            f"Reboot of EC2 Instance {node.instance_id} is currently in progress on Cluster "
            f"{cluster.name} and IG {node.group_name}",
            call,
        )
        return None

    return _each(call, reboot, not_found="InstanceIdNotFound", code="ErrorCode", empty_lists=True)


@operation("sagemaker", "BatchReplaceClusterNodes")
def batch_replace(call: Call) -> Mapping[str, Any]:
    def replace(clusters: Clusters, cluster: Cluster, node: Node) -> tuple[str, str] | None:
        if node.gone_at is not None:
            return "InvalidInstanceStatus", f"The node is {node.status_at(call.now)}."
        nodes_driver.replace(clusters, cluster, node)
        return None

    return _each(call, replace, not_found="InstanceIdNotFound", code="ErrorCode", empty_lists=True)


def _each(
    call: Call, act: Act, *, not_found: str, code: str, empty_lists: bool
) -> Mapping[str, Any]:
    """Do something to every node that is named, and sort the results as the API answers them."""
    clusters = clusters_of(call)
    cluster = clusters.find(call.parameters["ClusterName"])
    if not call.parameters.get("NodeIds") and not call.parameters.get("NodeLogicalIds"):
        raise rules.invalid("Specify NodeIds, NodeLogicalIds, or both.")
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
            error = (
                (not_found, f"{name} is not a node of cluster {cluster.name}.")
                if node is None
                else act(clusters, cluster, node)
            )
            if error is None:
                answer[good].append(name)
            else:
                answer[bad].append({member: name, code: error[0], "Message": error[1]})
    clusters.advance()
    return answer if empty_lists else {k: v for k, v in answer.items() if v}


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
    }


def _zones(clusters: Clusters, cluster: Cluster, group: Group) -> set[str]:
    config = group.specification.get("OverrideVpcConfig") or cluster.request.get("VpcConfig") or {}
    found = [clusters.network.subnet(subnet_id) for subnet_id in config.get("Subnets", ())]
    return {subnet.availability_zone for subnet in found if subnet is not None}


def _check_growth(
    call: Call, clusters: Clusters, cluster: Cluster, accepted: list[Mapping[str, Any]]
) -> None:
    more = {e["InstanceGroupName"]: e["IncrementTargetCountBy"] for e in accepted}
    before = {group.name: group.target_count for group in cluster.groups.values()}
    request = {
        "InstanceGroups": [
            {**group.specification, "InstanceCount": group.target_count + more.get(group.name, 0)}
            for group in cluster.groups.values()
        ]
    }
    rules.check_quotas(call, clusters, before, request, cluster=cluster)


def _again(cluster: Cluster, added: list[dict[str, Any]], call: Call) -> list[Mapping[str, Any]]:
    """The same nodes with their latest status, for a repeated client token."""
    answer: list[Mapping[str, Any]] = []
    for entry in added:
        node = find_node(cluster, instance_id=None, logical_id=entry["NodeLogicalId"])
        status = node.status_at(call.now) if node else "NotFound"
        answer.append({**entry, "Status": status})
    return answer


def _say(cluster: Cluster, node: Node, text: str, call: Call) -> None:
    record(cluster, text, call.now, group=cluster.groups[node.group_name], node=node)


def types_of(group: Group) -> list[str]:
    """EC2's names of a group's types."""
    return [facts.ec2_name(name) for name in group.instance_types]


def unknown_nodes(cluster: Cluster, names: list[str]) -> AwsError | None:
    """ResourceNotFound for the first id that is no node of the cluster."""
    for name in names:
        if find_node(cluster, instance_id=name, logical_id=None) is None:
            return AwsError("ResourceNotFound", f"Instance {name} does not exist.")
    return None
