"""Limits, names and volumes of HyperPod's instance groups."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Final

from clusterwright.cluster_spec.models import Cluster

HEALTH_CHECKS: Final[Mapping[str, str]] = {
    "instance-stress": "InstanceStress",
    "instance-connectivity": "InstanceConnectivity",
}
"""SageMaker's names of `resilience.deep_health_checks`."""

MAXIMUM_STORAGE_CONFIGS = 4
"""InstanceStorageConfigs per group (CreateCluster, botocore 1.44.5)."""

LIFECYCLE_BUCKET_PREFIX = "sagemaker-"
"""SourceS3Uri should start `s3://sagemaker-` (CreateCluster documentation)."""

TRAINING_PLAN_INSTANCE_COUNTS = (1, 2, 4, 8, 16, 32, 64)
"""Instances of one segment of a training plan (AWS documentation, SearchTrainingPlanOfferings)."""


def lifecycle_bucket(cluster: Cluster) -> str:
    """Return the bucket of the lifecycle scripts: `sagemaker-<environment>-<digest>`.

    At most 59 characters. Bucket names are global: the digest of account and region avoids
    conflicts.
    """
    digest = hashlib.sha256(f"{cluster.account}/{cluster.region}".encode()).hexdigest()[:8]
    return f"{LIFECYCLE_BUCKET_PREFIX}{cluster.environment}-{digest}"


def ml_name(instance_type: str) -> str:
    """Return SageMaker's name of an EC2 instance type."""
    return f"ml.{instance_type}"


def ec2_name(ml_instance_type: str) -> str:
    """Return EC2's name of a SageMaker instance type, without `ml.`."""
    return ml_instance_type.removeprefix("ml.")


def encrypts_root_volumes(cluster: Cluster) -> bool:
    """Return whether each group configures its root volume, with the cluster's key.

    Source: SageMaker developer guide, "Customer managed AWS KMS key encryption for SageMaker
    HyperPod": with continuous provisioning only.
    """
    return cluster.resilience.node_provisioning == "continuous"


def lustre_mounted_by_hyperpod(cluster: Cluster) -> int:
    """Return how many Lustre file systems, from the first, HyperPod mounts on every group.

    A group has at most four storage entries; the root volume, an additional volume and the home
    directories come first. The node program mounts the rest, and in scripted mode all.
    """
    if cluster.slurm.configuration != "managed":
        return 0
    used = int(encrypts_root_volumes(cluster))
    used += int(any(group.ebs is not None for group in cluster.compute))
    used += int(cluster.storage.home is not None)
    return min(len(cluster.storage.lustre), MAXIMUM_STORAGE_CONFIGS - used)
