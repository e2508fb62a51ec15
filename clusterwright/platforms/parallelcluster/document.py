"""The complete ParallelCluster configuration."""

from __future__ import annotations

from typing import Any

from clusterwright.catalog import Catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.platforms.parallelcluster.nodes import (
    head_iam,
    lasting_actions,
    policies,
    root_volume,
)
from clusterwright.platforms.parallelcluster.queues import queues, static_nodes
from clusterwright.platforms.parallelcluster.slurm_settings import slurm_settings
from clusterwright.platforms.parallelcluster.storage import shared_storage
from clusterwright.platforms.parallelcluster.supplied import Supplied
from clusterwright.platforms.parallelcluster.timeouts import timeouts
from clusterwright.platforms.tags import ENVIRONMENT_TAG


def render(cluster: Cluster, catalog: Catalog, supplied: Supplied) -> dict[str, Any]:
    """Return the configuration of ParallelCluster 3.16.1, with its key names, in reading order.

    Values that a deployment supplies are copied unchanged. Raises KeyError if `supplied` lacks a
    file system or the database of the spec.
    """
    ours = cluster.parallelcluster
    found: dict[str, Any] = {
        "Region": cluster.region,
        "Image": {"Os": ours.os},
        "Imds": {"ImdsSupport": "v2.0"},
    }
    if cluster.image.image_id is not None:
        found["Image"]["CustomAmi"] = cluster.image.image_id
    boundary = cluster.identity.permissions_boundary_arn
    if boundary is not None:
        found["Iam"] = {"PermissionsBoundary": boundary}
    found["HeadNode"] = _head_node(cluster, supplied)
    logins = [group for group in cluster.compute if group.role == "login"]
    if logins:
        found["LoginNodes"] = {"Pools": [_login_pool(cluster, supplied, g) for g in logins]}
    found["Scheduling"] = {
        "Scheduler": "slurm",
        "ScalingStrategy": ours.scaling_strategy,
        "SlurmSettings": slurm_settings(cluster, catalog, supplied),
        "SlurmQueues": queues(cluster, catalog, supplied),
    }
    storage = shared_storage(cluster, supplied)
    if storage:
        found["SharedStorage"] = storage
    found["Monitoring"] = _monitoring(cluster)
    found["DevSettings"] = _development(cluster)
    tags = {**cluster.tags, ENVIRONMENT_TAG: cluster.environment}
    found["Tags"] = [{"Key": key, "Value": value} for key, value in sorted(tags.items())]
    return found


def _head_node(cluster: Cluster, supplied: Supplied) -> dict[str, Any]:
    group = next(group for group in cluster.compute if group.role == "controller")
    ours = cluster.parallelcluster
    storage: dict[str, Any] = {"RootVolume": root_volume(ours.head_node_root_volume_gib)}
    if group.scratch is not None:
        storage["EphemeralVolume"] = {"MountDir": group.scratch.mount_path}
    found: dict[str, Any] = {
        "InstanceType": group.instance_type,
        "Networking": {
            "SubnetId": supplied.head_subnet_id,
            "SecurityGroups": [*supplied.security_group_ids, *supplied.head_security_group_ids],
        },
        "LocalStorage": storage,
        # NFS from one head node does not scale to a large fleet.
        "SharedStorageType": "Efs",
        "SharedStorageEfsSettings": {"Encrypted": True},
        "Imds": {"Secured": True},
        "CustomActions": lasting_actions(supplied, group.name, updated=True),
        "Iam": head_iam(cluster, supplied),
    }
    if ours.ssh_key_name is not None:
        found["Ssh"] = {"KeyName": ours.ssh_key_name}
    if group.threads_per_core == 1:
        found["DisableSimultaneousMultithreading"] = True
    return found


def _login_pool(cluster: Cluster, supplied: Supplied, group: ComputeGroup) -> dict[str, Any]:
    found: dict[str, Any] = {
        "Name": group.name,
        "InstanceType": group.instance_type,
        "Count": group.count,
        "Networking": {
            "SubnetIds": [supplied.login_subnet_id],
            "SecurityGroups": list(supplied.security_group_ids),
        },
        "GracetimePeriod": cluster.parallelcluster.login_grace_minutes,
        "CustomActions": lasting_actions(supplied, group.name),
    }
    permissions = policies(cluster, supplied)
    return {**found, "Iam": permissions} if permissions else found


def _monitoring(cluster: Cluster) -> dict[str, Any]:
    return {
        "DetailedMonitoring": cluster.parallelcluster.detailed_monitoring,
        "Logs": {
            "CloudWatch": {
                "Enabled": True,
                "RetentionInDays": cluster.observability.log_retention_days,
                "DeletionPolicy": "Retain" if cluster.protection == "retain" else "Delete",
            },
            "Rotation": {"Enabled": True},
        },
        "Dashboards": {"CloudWatch": {"Enabled": True}},
        "Alarms": {"Enabled": True},
    }


def _development(cluster: Cluster) -> dict[str, Any]:
    """`DevSettings`: timeouts by fleet size, and the older interface type if selected."""
    times = timeouts(static_nodes(cluster))
    found: dict[str, Any] = {
        "Timeouts": {
            "HeadNodeBootstrapTimeout": times.head_node_bootstrap,
            "ComputeNodeBootstrapTimeout": times.compute_node_bootstrap,
            "ComputeInstanceInfoTimeout": times.compute_instance_info,
        }
    }
    if any(group.network_interface == "efa" for group in cluster.compute):
        found["EfaInterfaceType"] = "efa"
    return found
