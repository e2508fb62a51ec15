"""What SageMaker HyperPod takes, beyond what its API model says."""

from __future__ import annotations

MAXIMUM_STORAGE_CONFIGS = 4
"""InstanceStorageConfigs per group (CreateCluster, botocore 1.44.5)."""

LIFECYCLE_BUCKET_PREFIX = "sagemaker-"
"""SourceS3Uri should start `s3://sagemaker-` (CreateCluster documentation)."""

TRAINING_PLAN_INSTANCE_COUNTS = (1, 2, 4, 8, 16, 32, 64)
"""Instances of one segment of a training plan (AWS documentation, SearchTrainingPlanOfferings)."""


def ml_name(instance_type: str) -> str:
    """SageMaker's name of an EC2 instance type."""
    return f"ml.{instance_type}"


def ec2_name(ml_instance_type: str) -> str:
    """EC2's name of a SageMaker instance type: EC2's API knows no `ml.`."""
    return ml_instance_type.removeprefix("ml.")
