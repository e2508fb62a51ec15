"""Reads the cluster and its nodes from the service that runs them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from clusterwright.aws import eks, hyperpod, pcs
from clusterwright.aws.cloudformation.stacks import stack
from clusterwright.aws.ec2 import instances
from clusterwright.aws.session import AwsSession
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_state.parallel import call_together
from clusterwright.cluster_state.results import (
    Condition,
    PlatformCluster,
    PlatformGroup,
    PlatformNode,
)
from clusterwright.platforms.eks.launch_templates import GROUP_LABEL
from clusterwright.platforms.kubernetes.control_plane import cluster_name
from clusterwright.platforms.pcs.groups import CLUSTER_TAG, GROUP_TAG, administration_group

_PARALLELCLUSTER_TAG: Final = "parallelcluster:cluster-name"
_NODE_TYPE_TAG: Final = "parallelcluster:node-type"
_COMPUTE_RESOURCE_TAG: Final = "parallelcluster:compute-resource-name"
_LOGIN_POOL_TAG: Final = "parallelcluster:login-nodes-pool-name"
"""Tags that ParallelCluster puts on instances (ParallelCluster documentation, "AWS ParallelCluster
resources and tagging")."""

_EKS_TAG: Final = "eks:cluster-name"
_NODEGROUP_TAG: Final = "eks:nodegroup-name"

_HYPERPOD: Final[Mapping[str, Condition]] = {
    "Running": "up",
    "Failure": "failed",
    "NotFound": "failed",
    "Pending": "starting",
    "SystemUpdating": "starting",
    "DeepHealthCheckInProgress": "starting",
    "ShuttingDown": "ending",
}
"""ClusterInstanceStatus (botocore 1.44.5)."""

_EC2: Final[Mapping[str, Condition]] = {
    "pending": "starting",
    "running": "up",
    "stopping": "ending",
    "stopped": "failed",
    "shutting-down": "ending",
}
_PCS_STEADY: Final = frozenset(
    {"ACTIVE", "CREATE_FAILED", "UPDATE_FAILED", "DELETE_FAILED", "SUSPENDED"}
)
"""ClusterStatus of PCS without a change in progress (botocore 1.44.5)."""


def platform_cluster(session: AwsSession, cluster: Cluster) -> PlatformCluster | None:
    """The cluster from the service that runs it; None if there is none.

    Raises
    ------
    AwsUnavailable
        AWS did not answer.
    """
    traits = cluster.traits
    if traits.on_hyperpod:
        return _hyperpod_cluster(session, cluster)
    if traits.uses_kubernetes:
        return _eks_cluster(session, cluster)
    if traits.service_runs_controller:
        return _pcs_cluster(session, cluster)
    return _provider_cluster(session, cluster)


def platform_nodes(session: AwsSession, cluster: Cluster) -> tuple[PlatformNode, ...] | None:
    """Every node from the service that runs it; None if there is no cluster.

    Raises
    ------
    AwsUnavailable
        AWS did not answer.
    """
    traits = cluster.traits
    if traits.on_hyperpod:
        found = hyperpod.cluster_nodes(session, cluster.environment)
        return None if found is None else tuple(_hyperpod_node(node) for node in found)
    if traits.uses_kubernetes:
        return _eks_nodes(session, cluster)
    if traits.service_runs_controller:
        return _pcs_nodes(session, cluster)
    tagged = instances.tagged(session, _PARALLELCLUSTER_TAG, cluster.environment)
    return tuple(_ec2_node(node, _parallelcluster_group(node, cluster)) for node in tagged)


def _hyperpod_cluster(session: AwsSession, cluster: Cluster) -> PlatformCluster | None:
    found = hyperpod.deployed_cluster(session, cluster.environment)
    if found is None:
        return None
    return PlatformCluster(
        found.name,
        found.status,
        found.failure,
        steady=found.status in ("InService", "Failed"),
        healthy=found.status == "InService",
        groups=tuple(
            PlatformGroup(
                group.name,
                group.current_count,
                group.target_count,
                group.status,
                group.current_image,
                group.desired_image,
                group.image_status,
                group.software_status,
                group.scripts_s3_uri,
            )
            for group in found.groups
        ),
    )


def _hyperpod_node(node: hyperpod.ClusterNode) -> PlatformNode:
    return PlatformNode(
        node.group,
        node.instance_id,
        node.logical_id,
        node.hostname,
        node.instance_type,
        node.status,
        _HYPERPOD.get(node.status, "unknown"),
        node.message,
        node.launched_at,
        node.image_status,
    )


def _provider_cluster(session: AwsSession, cluster: Cluster) -> PlatformCluster | None:
    """ParallelCluster's cluster is a stack of its own, named like the cluster."""
    found = stack(session, cluster.environment)
    if found is None or found.status == "DELETE_COMPLETE":
        return None
    return PlatformCluster(
        found.name,
        found.status,
        (found.reason or "") if "FAILED" in found.status else "",
        steady=not found.status.endswith("_IN_PROGRESS"),
        healthy=found.status in ("CREATE_COMPLETE", "UPDATE_COMPLETE"),
    )


def _pcs_cluster(session: AwsSession, cluster: Cluster) -> PlatformCluster | None:
    """The cluster with its groups and queues; a queue that failed is an issue of the cluster."""
    found = pcs.cluster(session, cluster.environment)
    if found is None:
        return None
    failed = [queue for queue in pcs.queues(session, found.name) if "FAILED" in queue.status]
    # The node program of this group publishes the digest of its inputs.
    publishing = administration_group(cluster)
    return PlatformCluster(
        found.name,
        found.status,
        "; ".join(found.errors),
        steady=found.status in _PCS_STEADY,
        healthy=found.status == "ACTIVE",
        groups=tuple(
            PlatformGroup(
                group.name,
                None,
                group.minimum,
                group.status,
                scripts_s3_uri=(
                    group.scripts_s3_uri
                    if publishing is not None and group.name == publishing.name
                    else None
                ),
                issues=group.errors,
            )
            for group in pcs.groups(session, found.name)
        ),
        issues=tuple(
            f"queue {queue.name} is {queue.status}: {'; '.join(queue.errors) or 'no reason given'}"
            for queue in failed
        ),
    )


def _pcs_nodes(session: AwsSession, cluster: Cluster) -> tuple[PlatformNode, ...] | None:
    found = pcs.cluster(session, cluster.environment)
    if found is None:
        return None
    tagged = instances.tagged(session, CLUSTER_TAG, found.id)
    return tuple(_ec2_node(node, node.tags.get(GROUP_TAG)) for node in tagged)


def _parallelcluster_group(node: instances.NodeInstance, cluster: Cluster) -> str | None:
    if node.tags.get(_NODE_TYPE_TAG) == "HeadNode":
        return next((g.name for g in cluster.compute if g.role == "controller"), None)
    return node.tags.get(_COMPUTE_RESOURCE_TAG) or node.tags.get(_LOGIN_POOL_TAG)


def _ec2_node(node: instances.NodeInstance, group: str | None) -> PlatformNode:
    return PlatformNode(
        group,
        node.id,
        None,
        node.hostname,
        node.instance_type,
        node.state,
        _EC2.get(node.state, "unknown"),
        launched_at=node.launched_at,
        lifecycle=node.lifecycle,
        address=node.address,
    )


def _eks_cluster(session: AwsSession, cluster: Cluster) -> PlatformCluster | None:
    found, groups = call_together(
        partial(eks.kubernetes_cluster, session, cluster_name(cluster)),
        partial(_nodegroups, session, cluster),
    )
    if found is None or groups is None:
        return None
    return PlatformCluster(
        found.name,
        found.status,
        "; ".join(found.issues) if found.status == "FAILED" else "",
        steady=found.status in ("ACTIVE", "FAILED"),
        healthy=found.status == "ACTIVE",
        groups=tuple(
            PlatformGroup(
                group.labels.get(GROUP_LABEL) or group.name,
                None,
                group.desired_count,
                group.status,
                issues=group.issues,
            )
            for group in groups
        ),
        issues=found.issues,
        endpoint=found.endpoint,
    )


def _nodegroups(session: AwsSession, cluster: Cluster) -> tuple[eks.Nodegroup, ...] | None:
    names = eks.nodegroup_names(session, cluster_name(cluster))
    if names is None:
        return None
    calls = [partial(eks.nodegroup, session, cluster_name(cluster), name) for name in names]
    return tuple(call_together(*calls))


def _eks_nodes(session: AwsSession, cluster: Cluster) -> tuple[PlatformNode, ...]:
    tagged, groups = call_together(
        partial(instances.tagged, session, _EKS_TAG, cluster_name(cluster)),
        partial(_nodegroups, session, cluster),
    )
    named = {group.name: group.labels.get(GROUP_LABEL) for group in groups or ()}
    return tuple(_ec2_node(node, named.get(node.tags.get(_NODEGROUP_TAG, ""))) for node in tagged)
