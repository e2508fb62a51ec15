"""StartClusterHealthCheck: deep health checks on demand."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.sagemaker import node_driver
from clusterwright_localaws.services.sagemaker.batch import unknown_nodes
from clusterwright_localaws.services.sagemaker.state import NEVER, clusters_of


@operation("sagemaker", "StartClusterHealthCheck")
def start_cluster_health_check(call: Call) -> Mapping[str, Any]:
    """Set nodes to DeepHealthCheckInProgress for the world's node delay, then to Running."""
    clusters = clusters_of(call)
    cluster = clusters.find(call.parameters["ClusterName"])
    until = call.now + timedelta(seconds=call.world.delays.node)
    chosen = []
    checks = {}
    for entry in call.parameters["DeepHealthCheckConfigurations"]:
        group = cluster.groups.get(entry["InstanceGroupName"])
        if group is None:
            raise AwsError(
                "ResourceNotFound",
                f"Instance group {entry['InstanceGroupName']} does not exist.",
            )
        missing = unknown_nodes(cluster, entry.get("InstanceIds", []))
        if missing is not None:
            raise missing
        requested = set(entry.get("InstanceIds", ()))
        foreign = requested - {node.instance_id for node in group.nodes}
        if foreign:
            raise AwsError(
                "ResourceNotFound",
                f"Instance {min(foreign)} does not exist in instance group {group.name}.",
            )
        for node in group.live():
            if not requested or node.instance_id in requested:
                chosen.append(node)
                checks[node.instance_id] = tuple(entry["DeepHealthChecks"])
    for node in chosen:
        driven = node_driver.inform(
            clusters, cluster, node, "check_health", checks=checks[node.instance_id]
        )
        node.checked_until = NEVER if driven else until
    return {"ClusterArn": cluster.arn}
