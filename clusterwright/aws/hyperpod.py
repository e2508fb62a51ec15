"""Deployed HyperPod clusters: groups, nodes, reboot and replacement of nodes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clusterwright.aws.errors import none_if_not_found
from clusterwright.aws.session import AwsSession

NODES_PER_PAGE: Final = 100
"""The largest MaxResults of ListClusterNodes (botocore 1.44.5); the default is 10."""

MAXIMUM_NODES_PER_CALL: Final = 25
"""NodeIds of BatchRebootClusterNodes and BatchReplaceClusterNodes (botocore 1.44.5)."""

MAXIMUM_HEALTH_CHECKS: Final = 99
"""DeepHealthCheckConfigurations of StartClusterHealthCheck (botocore 1.44.5)."""

MAXIMUM_IDS_PER_CHECK: Final = 500
"""InstanceIds of each of them (botocore 1.44.5)."""


@dataclass(frozen=True)
class DeployedGroup:
    """An instance group, as DescribeCluster returns it.

    Attributes
    ----------
    current_count, target_count:
        Instances that exist, and that HyperPod works towards; None if not returned.
    slurm_role:
        `Controller`, `Login` or `Compute`; None where HyperPod does not configure Slurm.
    current_image, desired_image:
        Release or AMI; None if not returned.
    image_status:
        `UpToDate`, `UpdateAvailable`, `SecurityUpdateRequired`, `EndOfLife`, or None.
    software_status:
        Of an update of the image, such as `InProgress`; None without one.
    scripts_s3_uri:
        Where HyperPod downloads the lifecycle scripts from.
    restricted:
        It is one of `RestrictedInstanceGroups`, whose scripts are HyperPod's.
    """

    name: str
    instance_types: tuple[str, ...]
    status: str | None
    current_count: int | None
    target_count: int | None
    slurm_role: str | None = None
    training_plan_arn: str | None = None
    spot: bool = False
    current_image: str | None = None
    desired_image: str | None = None
    image_status: str | None = None
    software_status: str | None = None
    scripts_s3_uri: str | None = None
    restricted: bool = False


@dataclass(frozen=True)
class DeployedCluster:
    """A HyperPod cluster, as DescribeCluster returns it."""

    name: str
    arn: str
    status: str
    failure: str
    node_recovery: str | None
    continuous: bool
    groups: tuple[DeployedGroup, ...]


@dataclass(frozen=True)
class ClusterNode:
    """A node, as ListClusterNodes returns it.

    Attributes
    ----------
    instance_id:
        None until EC2 has launched the instance.
    hostname:
        Without the domain: `ip-10-0-1-5`; None until the node has an address.
    """

    group: str
    instance_id: str | None
    logical_id: str | None
    instance_type: str
    status: str
    message: str
    launched_at: dt.datetime | None
    hostname: str | None
    image_release: str | None
    image_status: str | None


@dataclass(frozen=True)
class NodeRefusal:
    """A node that a batch operation refused, with the API's code."""

    instance_id: str
    code: str
    message: str


@none_if_not_found()
def deployed_cluster(session: AwsSession, name: str) -> DeployedCluster | None:
    """Return a cluster; None if there is none of that name.

    Raises
    ------
    AwsUnavailable
        AWS did not answer.
    """
    answer = session.call("sagemaker", "DescribeCluster", ClusterName=name)
    restricted = answer.get("RestrictedInstanceGroups") or ()
    groups = (
        *(_group(group) for group in answer.get("InstanceGroups") or ()),
        *(_group(group, restricted=True) for group in restricted),
    )
    return DeployedCluster(
        name=answer.get("ClusterName", name),
        arn=answer["ClusterArn"],
        status=answer["ClusterStatus"],
        failure=answer.get("FailureMessage") or "",
        node_recovery=answer.get("NodeRecovery"),
        continuous=answer.get("NodeProvisioningMode") == "Continuous",
        groups=groups,
    )


@none_if_not_found()
def cluster_nodes(session: AwsSession, name: str) -> tuple[ClusterNode, ...] | None:
    """Return every node of a cluster; None if there is no cluster of that name.

    Raises
    ------
    AwsUnavailable
        AWS did not answer, at any page.
    """
    return tuple(
        _node(summary)
        for summary in session.items(
            "sagemaker",
            "ListClusterNodes",
            "ClusterNodeSummaries",
            ClusterName=name,
            MaxResults=NODES_PER_PAGE,
        )
    )


def reboot(session: AwsSession, name: str, ids: Sequence[str]) -> tuple[NodeRefusal, ...]:
    """Reboot at most `MAXIMUM_NODES_PER_CALL` instances; return those that HyperPod refused.

    Raises
    ------
    AwsUnavailable
        AWS refused the whole request, or did not answer.
    """
    answer = session.call(
        "sagemaker", "BatchRebootClusterNodes", ClusterName=name, NodeIds=list(ids)
    )
    return _refusals(answer)


def replace(session: AwsSession, name: str, ids: Sequence[str]) -> tuple[NodeRefusal, ...]:
    """Replace at most `MAXIMUM_NODES_PER_CALL` instances; return those that HyperPod refused.

    A replacement destroys root and additional EBS volumes (BatchReplaceClusterNodes).

    Raises
    ------
    AwsUnavailable
        AWS refused the whole request, or did not answer.
    """
    answer = session.call(
        "sagemaker", "BatchReplaceClusterNodes", ClusterName=name, NodeIds=list(ids)
    )
    return _refusals(answer)


def start_health_checks(
    session: AwsSession,
    name: str,
    wanted: Sequence[tuple[str, Sequence[str], Sequence[str]]],
) -> None:
    """Start deep health checks; HyperPod reboots or replaces instances that it finds faulty.

    `wanted` has groups, at most `MAXIMUM_IDS_PER_CHECK` instance ids of them, and SageMaker's
    names of the checks.

    Raises
    ------
    AwsUnavailable
        AWS refused the request, as while others run, or did not answer.
    """
    session.call(
        "sagemaker",
        "StartClusterHealthCheck",
        ClusterName=name,
        DeepHealthCheckConfigurations=[
            {
                "InstanceGroupName": group,
                "InstanceIds": list(ids),
                "DeepHealthChecks": list(checks),
            }
            for group, ids, checks in wanted
        ],
    )


def _refusals(answer: Mapping[str, Any]) -> tuple[NodeRefusal, ...]:
    return tuple(
        NodeRefusal(entry["NodeId"], entry["ErrorCode"], entry.get("Message") or "")
        for entry in answer.get("Failed") or ()
    )


def _group(answer: Mapping[str, Any], *, restricted: bool = False) -> DeployedGroup:
    types = [answer["InstanceType"]] if answer.get("InstanceType") else []
    wanted = (answer.get("InstanceRequirements") or {}).get("DesiredInstanceTypes") or ()
    types += [name for name in wanted if name not in types]
    return DeployedGroup(
        name=answer["InstanceGroupName"],
        restricted=restricted,
        instance_types=tuple(name.removeprefix("ml.") for name in types),
        status=answer.get("Status"),
        current_count=answer.get("CurrentCount"),
        target_count=answer.get("TargetCount"),
        slurm_role=(answer.get("SlurmConfig") or {}).get("NodeType"),
        training_plan_arn=answer.get("TrainingPlanArn"),
        spot="Spot" in (answer.get("CapacityRequirements") or {}),
        current_image=answer.get("CurrentImageReleaseVersion") or answer.get("CurrentImageId"),
        desired_image=answer.get("DesiredImageReleaseVersion") or answer.get("DesiredImageId"),
        image_status=answer.get("ImageVersionStatus"),
        software_status=answer.get("SoftwareUpdateStatus"),
        scripts_s3_uri=(answer.get("LifeCycleConfig") or {}).get("SourceS3Uri"),
    )


def _node(answer: Mapping[str, Any]) -> ClusterNode:
    status = answer["InstanceStatus"]
    hostname = answer.get("PrivateDnsHostname") or ""
    return ClusterNode(
        group=answer["InstanceGroupName"],
        instance_id=answer.get("InstanceId") or None,
        logical_id=answer.get("NodeLogicalId"),
        instance_type=answer["InstanceType"].removeprefix("ml."),
        status=status["Status"],
        message=status.get("Message") or "",
        launched_at=answer.get("LaunchTime"),
        hostname=hostname.partition(".")[0] or None,
        image_release=answer.get("CurrentImageReleaseVersion"),
        image_status=answer.get("ImageVersionStatus"),
    )
