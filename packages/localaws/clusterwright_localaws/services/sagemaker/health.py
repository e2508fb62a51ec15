"""StartClusterHealthCheck: deep health checks on demand.

Rules and the forms of log lines are those of AWS's guide page "Deep health checks" of Slurm. The
maintenance reservation is Slurm's, and the labels are Kubernetes': nothing here has them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.sagemaker import node_driver, node_faults
from clusterwright_localaws.services.sagemaker.batch import unknown_nodes
from clusterwright_localaws.services.sagemaker.operations import begin_health_checks, refresh
from clusterwright_localaws.services.sagemaker.records import IN_PROGRESS
from clusterwright_localaws.services.sagemaker.state import NEVER, Cluster, Node, clusters_of


@operation("sagemaker", "StartClusterHealthCheck")
def start_cluster_health_check(call: Call) -> Mapping[str, Any]:
    """Set nodes to DeepHealthCheckInProgress for the world's node delay, then to Running."""
    clusters = clusters_of(call)
    cluster = clusters.find(call.parameters["ClusterName"])
    until = call.now + timedelta(seconds=call.world.delays.node)
    refresh(cluster, call.now)
    if any(each.checks and each.status == IN_PROGRESS for each in cluster.operations):
        # "Only one on-demand deep health check request can be active per cluster at a time."
        raise AwsError(
            "ConflictException",
            f"A deep health check of cluster {cluster.name} is in progress already.",
        )
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
            # "Controller and login nodes are not subject to deep health checks."
            if group.slurm_role in ("Controller", "Login"):
                continue
            if not requested or node.instance_id in requested:
                chosen.append(node)
                checks[node.instance_id] = tuple(entry["DeepHealthChecks"])
    for node in chosen:
        driven = node_driver.inform(
            clusters,
            cluster,
            node,
            "check_health",
            due=until,
            checks=checks[node.instance_id],
        )
        node.checked_until = NEVER if driven else until
        if not driven:
            cluster.at(until, _passing(cluster, node, checks[node.instance_id]))
    begin_health_checks(cluster, call.parameters["DeepHealthCheckConfigurations"], call.now)
    return {"ClusterArn": cluster.arn}


def _passing(cluster: Cluster, node: Node, checks: tuple[str, ...]) -> Callable[[datetime], None]:
    """Return what writes the results of a node that has passed."""
    instance_id = node.instance_id

    def write(when: datetime) -> None:
        if node.instance_id != instance_id or node.status == "Failure":
            return
        moment = when.strftime("%Y-%m-%dT%H:%M:%SZ")
        node_faults.write_log(
            cluster,
            node,
            node_faults.HEALTH_CHECK_STREAM,
            [(when, f"{moment}  info  {check} success") for check in checks],
        )

    return write
