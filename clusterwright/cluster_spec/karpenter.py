"""Groups that Karpenter scales, on platforms with Kubernetes."""

from __future__ import annotations

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup


def is_on(cluster: Cluster) -> bool:
    """Return whether Karpenter adds and removes nodes, run by HyperPod or in the cluster."""
    key = cluster.traits.autoscaling_key
    return key is not None and getattr(getattr(cluster, key[0]), key[1]) == "karpenter"


def runs_in_cluster(cluster: Cluster) -> bool:
    """Return whether Karpenter's controller is installed in the cluster, with a separate role."""
    return cluster.traits.karpenter_in_cluster and is_on(cluster)


def is_scaled(cluster: Cluster, group: ComputeGroup) -> bool:
    """Return whether Karpenter adds nodes to the group and removes them.

    HyperPod's Karpenter supports groups that run jobs with whole accelerators, but no training
    plans or reservations (SageMaker developer guide, "Autoscaling on SageMaker HyperPod EKS");
    there `max_count` limits all nodes. Karpenter on EKS adds to `count`, so `max_count` must be
    greater.
    """
    if not is_on(cluster) or group.max_count is None:
        return False
    if cluster.traits.karpenter_in_cluster:
        return group.max_count > group.count
    return (
        group.role == "compute"
        and not group.restricted
        and group.mig_profile is None
        and group.capacity.kind in ("on-demand", "spot")
    )


def scaled_groups(cluster: Cluster) -> list[ComputeGroup]:
    """Return the groups that Karpenter scales, in the order of the file."""
    return [group for group in cluster.compute if is_scaled(cluster, group)]
