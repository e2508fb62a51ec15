"""Clusters, groups and nodes in the shape of the API."""

from __future__ import annotations

import hashlib
import ipaddress
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from clusterwright_localaws.core import catalog_facts
from clusterwright_localaws.services.sagemaker.state import Cluster, Group, Node

_ECHOED = (
    "InstanceGroupName",
    "InstanceType",
    "LifeCycleConfig",
    "ExecutionRole",
    "InstanceStorageConfigs",
    "OnStartDeepHealthChecks",
    "TrainingPlanArn",
    "OverrideVpcConfig",
    "ScheduledUpdateConfig",
    "CapacityRequirements",
    "SlurmConfig",
    "NetworkInterface",
    "EnvironmentConfig",
)
_NOT_RESTRICTED = ("LifeCycleConfig", "CapacityRequirements", "SlurmConfig", "NetworkInterface")
_CLUSTER = (
    "VpcConfig",
    "Orchestrator",
    "NodeProvisioningMode",
    "TieredStorageConfig",
    "ClusterRole",
)


def cluster(found: Cluster, now: datetime, plan_status: Callable[[str], str]) -> Mapping[str, Any]:
    """Return the answer of DescribeCluster; `plan_status` returns the status of a plan's ARN."""
    answer: dict[str, Any] = {
        "ClusterArn": found.arn,
        "ClusterName": found.name,
        "ClusterStatus": found.status,
        "CreationTime": found.created_at,
        "InstanceGroups": [
            _group(found, each, now) for each in found.groups.values() if not each.restricted
        ],
        "NodeRecovery": found.request.get("NodeRecovery", "Automatic"),
    }
    restricted = [_restricted(found, g, now) for g in found.groups.values() if g.restricted]
    if restricted:
        answer["RestrictedInstanceGroups"] = restricted
    for shown in (*answer["InstanceGroups"], *restricted):
        if "TrainingPlanArn" in shown:
            shown["TrainingPlanStatus"] = plan_status(shown["TrainingPlanArn"])
    for name in _CLUSTER:
        if found.request.get(name) is not None:
            answer[name] = found.request[name]
    shared = (found.request.get("RestrictedInstanceGroupsConfig") or {}).get(
        "SharedEnvironmentConfig"
    )
    if shared:
        answer["RestrictedInstanceGroupsConfig"] = {
            "SharedEnvironmentConfig": {
                "CurrentFSxLustreConfig": shared["FSxLustreConfig"],
                "DesiredFSxLustreConfig": shared["FSxLustreConfig"],
                "CurrentFSxLustreDeletionPolicy": shared["FSxLustreDeletionPolicy"],
                "DesiredFSxLustreDeletionPolicy": shared["FSxLustreDeletionPolicy"],
            }
        }
    scaling = found.request.get("AutoScaling")
    if scaling:
        answer["AutoScaling"] = {**scaling, "Status": "InService"}
    if found.failure:
        answer["FailureMessage"] = found.failure
    return answer


def summary(found: Cluster) -> Mapping[str, Any]:
    """Return an entry of ListClusters."""
    answer: dict[str, Any] = {
        "ClusterArn": found.arn,
        "ClusterName": found.name,
        "CreationTime": found.created_at,
        "ClusterStatus": found.status,
        "ImageVersionStatus": "UpToDate",
    }
    plans = sorted({group.plan_arn for group in found.groups.values() if group.plan_arn})
    return {**answer, "TrainingPlanArns": plans} if plans else answer


def awaited_summary(found: Cluster, group: Group, logical_id: str) -> Mapping[str, Any]:
    """Return an entry of ListClusterNodes for an awaited node without an instance."""
    return {
        "InstanceGroupName": group.name,
        "InstanceId": "",
        "NodeLogicalId": logical_id,
        "InstanceType": group.instance_types[0],
        "LaunchTime": found.created_at,
        "InstanceStatus": {"Status": "Pending"},
    }


def awaited_details(group: Group, logical_id: str) -> Mapping[str, Any]:
    """Return the answer of DescribeClusterNode for an awaited node."""
    return {
        "InstanceGroupName": group.name,
        "NodeLogicalId": logical_id,
        "InstanceType": group.instance_types[0],
        "InstanceStatus": {"Status": "Pending"},
    }


def node_summary(found: Cluster, node: Node, now: datetime) -> Mapping[str, Any]:
    """Return an entry of ListClusterNodes."""
    answer: dict[str, Any] = {
        "InstanceGroupName": node.group_name,
        "InstanceId": node.instance_id,
        "NodeLogicalId": node.logical_id,
        "InstanceType": node.instance_type,
        "LaunchTime": node.launched_at,
        "InstanceStatus": status(node, now),
        "PrivateDnsHostname": hostname(node),
        "CurrentImageReleaseVersion": node.image_release,
        "ImageVersionStatus": "UpToDate",
    }
    ultra_server = ultra_server_of(found, node)
    if ultra_server is not None:
        answer["UltraServerInfo"] = ultra_server
    if node.software_updated_at:
        answer["LastSoftwareUpdateTime"] = node.software_updated_at
    return answer


def node_details(found: Cluster, node: Node, now: datetime) -> Mapping[str, Any]:
    """Return the answer of DescribeClusterNode."""
    group = found.groups[node.group_name]
    specification = group.specification
    answer: dict[str, Any] = {
        **node_summary(found, node, now),
        "ThreadsPerCore": specification.get("ThreadsPerCore", 1),
        "PrivatePrimaryIp": str(ipaddress.IPv4Address(node.primary_address)),
        "Placement": {
            "AvailabilityZone": node.zone_name,
            "AvailabilityZoneId": node.zone_id,
        },
        "DesiredImageReleaseVersion": group.desired_release or group.release,
        "CapacityType": "Spot" if group.spot else "OnDemand",
    }
    for name in (
        "LifeCycleConfig",
        "OverrideVpcConfig",
        "InstanceStorageConfigs",
        "NetworkInterface",
    ):
        if specification.get(name) is not None:
            answer[name] = specification[name]
    if node.image_id:
        answer["CurrentImageId"] = node.image_id
    desired = group.desired_image or node.image_id
    if desired not in (None, "default"):
        answer["DesiredImageId"] = desired
    kubernetes = specification.get("KubernetesConfig")
    if kubernetes:
        answer["KubernetesConfig"] = _kubernetes(kubernetes, group.kubernetes_before)
    return answer


def ultra_server_of(found: Cluster, node: Node) -> Mapping[str, str] | None:
    """Return the UltraServer of a node, for types in UltraServers.

    Nodes fill UltraServers in the order of their numbers, per group and zone; AWS's order is not
    documented.
    """
    kind = catalog_facts.ultra_server(catalog_facts.ec2_name(node.instance_type))
    if kind is None:
        return None
    name, size = kind
    number = (node.number - 1) // size + 1
    digest = hashlib.sha256(
        f"{found.arn}/{node.group_name}/{node.zone_id}/{number}".encode()
    ).hexdigest()
    return {"Id": f"us-{digest[:17]}", "Type": name}


def status(node: Node, now: datetime) -> Mapping[str, Any]:
    answer: dict[str, Any] = {"Status": node.status_at(now)}
    return {**answer, "Message": node.message} if node.message else answer


def hostname(node: Node) -> str:
    address = str(ipaddress.IPv4Address(node.primary_address))
    # Nodes in us-east-1 are under ec2.internal, elsewhere under <region>.compute.internal.
    region = node.zone_name.rstrip("abcdefghijklmnopqrstuvwxyz")
    domain = "ec2.internal" if region == "us-east-1" else f"{region}.compute.internal"
    return f"ip-{address.replace('.', '-')}.{domain}"


def _group(found: Cluster, group: Group, now: datetime) -> dict[str, Any]:
    specification = group.specification
    live = group.live()
    answer: dict[str, Any] = {
        "CurrentCount": sum(1 for node in live if node.status_at(now) != "Pending"),
        "TargetCount": group.target_count,
        "Status": group.status,
        "ThreadsPerCore": specification.get("ThreadsPerCore", 1),
        "CurrentImageReleaseVersion": group.release,
        "DesiredImageReleaseVersion": group.desired_release or group.release,
        "ImageVersionStatus": "UpToDate",
        **{name: specification[name] for name in _ECHOED if specification.get(name) is not None},
    }
    if group.min_count is not None:
        answer["MinCount"] = group.min_count
    types = (specification.get("InstanceRequirements") or {}).get("InstanceTypes")
    if types:
        answer["InstanceRequirements"] = {
            "CurrentInstanceTypes": types,
            "DesiredInstanceTypes": types,
        }
        answer["InstanceTypeDetails"] = [
            {
                "InstanceType": name,
                "CurrentCount": sum(1 for node in live if node.instance_type == name),
            }
            for name in types
        ]
    if specification.get("ImageId"):
        answer["CurrentImageId"] = specification["ImageId"]
    desired = group.desired_image or specification.get("ImageId")
    if desired:
        answer["DesiredImageId"] = desired
    if found.continuous and len(live) != group.target_count:
        answer["ActiveOperations"] = {"Scaling": 1}
    if group.software_status:
        answer["SoftwareUpdateStatus"] = group.software_status
        answer["TargetStateCount"] = sum(
            1 for node in live if node.image_release == (group.desired_release or group.release)
        )
    if group.deployment is not None:
        answer["ActiveSoftwareUpdateConfig"] = group.deployment
    patching = specification.get("AutoPatchConfig")
    if patching:
        answer["AutoPatchConfig"] = _patching(patching)
    if specification.get("KubernetesConfig"):
        answer["KubernetesConfig"] = _kubernetes(
            specification["KubernetesConfig"], group.kubernetes_before
        )
    return answer


def _restricted(found: Cluster, group: Group, now: datetime) -> dict[str, Any]:
    members = _group(found, group, now)
    return {
        name: value
        for name, value in members.items()
        if name not in _NOT_RESTRICTED
        and name
        in (
            "CurrentCount",
            "TargetCount",
            "InstanceGroupName",
            "InstanceType",
            "ExecutionRole",
            "ThreadsPerCore",
            "InstanceStorageConfigs",
            "OnStartDeepHealthChecks",
            "Status",
            "TrainingPlanArn",
            "TrainingPlanStatus",
            "OverrideVpcConfig",
            "ScheduledUpdateConfig",
            "EnvironmentConfig",
        )
    }


def _patching(config: Mapping[str, Any]) -> Mapping[str, Any]:
    answer = {k: v for k, v in config.items() if k != "PatchSchedule"}
    schedule = config.get("PatchSchedule")
    if schedule:
        answer["CurrentPatchSchedule"] = answer["DesiredPatchSchedule"] = schedule
    return answer


def _kubernetes(desired: Mapping[str, Any], before: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return the labels and taints that nodes have and shall have; `before`: during an update."""
    current = desired if before is None else before
    return {
        f"{state}{name}": config[name]
        for state, config in (("Current", current), ("Desired", desired))
        for name in ("Labels", "Taints")
        if config.get(name) is not None
    }
