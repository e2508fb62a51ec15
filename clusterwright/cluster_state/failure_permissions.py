"""The read-only IAM policy of `diagnose`, by what it reads on a platform."""

from __future__ import annotations

from typing import Final

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_state.failure_logs import prefixes
from clusterwright.cluster_state.permissions import ALL, Actions
from clusterwright.diagnosis.scheduler import PUBLISHED
from clusterwright.platforms.hyperpod.instance_groups import lifecycle_bucket

_ANYWHERE: Final = (
    "cloudformation:DescribeStackEvents",
    "cloudformation:DescribeStacks",
    "cloudformation:ListChangeSets",
    "cloudformation:ListStackResources",
    "cloudformation:ListStacks",
    "fsx:DescribeDataRepositoryAssociations",
    "fsx:DescribeDataRepositoryTasks",
    "fsx:DescribeFileSystems",
    "logs:DescribeLogGroups",
    "rds:DescribeDBInstances",
)
_HYPERPOD: Final = (
    "sagemaker:DescribeCluster",
    "sagemaker:DescribeClusterEvent",
    "sagemaker:ListClusterEvents",
    "sagemaker:ListClusterNodes",
)
_PCS: Final = (
    "pcs:GetCluster",
    "pcs:GetComputeNodeGroup",
    "pcs:GetQueue",
    "pcs:ListComputeNodeGroups",
    "pcs:ListQueues",
)
_KUBERNETES: Final = (
    "autoscaling:DescribeScalingActivities",
    "eks:DescribeAddon",
    "eks:DescribeCluster",
    "eks:DescribeNodegroup",
    "eks:ListAddons",
    "eks:ListNodegroups",
)
_CAPACITY: Final = {
    "training-plan": "sagemaker:DescribeTrainingPlan",
    "reservation": "ec2:DescribeCapacityReservations",
    "capacity-block": "ec2:DescribeCapacityReservations",
}


def diagnosing(cluster: Cluster) -> Actions:
    """What has no resource-level permissions or is found by listing, the cluster's log groups,
    and the object that the controller publishes; by action.
    """
    actions = set(_ANYWHERE)
    if cluster.on_hyperpod:
        actions.update(_HYPERPOD)
    if cluster.uses_kubernetes:
        actions.update(_KUBERNETES)
    if cluster.traits.service_runs_controller:
        actions.update(_PCS)
    for group in cluster.compute:
        kind = getattr(group.capacity, "kind", "")
        if kind in _CAPACITY:
            actions.add(_CAPACITY[kind])
    place = f"arn:{cluster.partition}:logs:{cluster.region}:{cluster.account}:log-group:"
    groups = tuple(f"{place}{prefix}*" for prefix in prefixes(cluster))
    found: Actions = {
        **dict.fromkeys(actions, (ALL,)),
        "logs:DescribeLogStreams": groups,
        "logs:GetLogEvents": groups,
    }
    if cluster.uses_slurm:
        bucket = f"arn:{cluster.partition}:s3:::{lifecycle_bucket(cluster)}"
        found["s3:GetObject"] = (f"{bucket}/{PUBLISHED}",)
        # Without it S3 answers 403 for an object that does not exist.
        found["s3:ListBucket"] = (bucket,)
    return {name: found[name] for name in sorted(found)}
