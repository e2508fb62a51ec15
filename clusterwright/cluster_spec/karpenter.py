"""Groups that Karpenter scales, on platforms with Kubernetes."""

from __future__ import annotations

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup


def is_on(cluster: Cluster) -> bool:
    """Whether nodes come and go as pods wait: HyperPod's Karpenter, or the cluster's."""
    key = cluster.traits.autoscaling_key
    return key is not None and getattr(getattr(cluster, key[0]), key[1]) == "karpenter"


def runs_in_cluster(cluster: Cluster) -> bool:
    """Whether Karpenter's controller is installed in the cluster, with a role of its own."""
    return cluster.traits.karpenter_in_cluster and is_on(cluster)


def is_scaled(cluster: Cluster, group: ComputeGroup) -> bool:
    """Whether Karpenter adds nodes to the group and takes them away.

    HyperPod's takes groups that run jobs with whole accelerators, and neither training plans nor
    reservations (SageMaker developer guide, "Autoscaling on SageMaker HyperPod EKS"); there
    `max_count` is of all nodes. Karpenter on EKS adds to `count`, so that there must be room.
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
    """The groups that Karpenter is given, in the order of the file."""
    return [group for group in cluster.compute if is_scaled(cluster, group)]
