"""Created ECR repositories: encrypted, tags immutable, scanned, with a number of images kept."""

from __future__ import annotations

import json

from aws_cdk import aws_ecr as ecr
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.storage import ImageRepository
from stacks.base.cluster_stack import removal_policy

_ECR = ecr.CfnRepository


def image_repository(
    scope: Construct, construct_id: str, cluster: Cluster, spec: ImageRepository, *, key_arn: str
) -> ecr.CfnRepository:
    """A repository for images of jobs; `protection: destroy` deletes it with its images."""
    repository = _ECR(
        scope,
        construct_id,
        repository_name=spec.name,
        # A job's file has a digest; a tag that people read must not change its meaning either.
        image_tag_mutability="IMMUTABLE",
        encryption_configuration=_ECR.EncryptionConfigurationProperty(
            encryption_type="KMS", kms_key=key_arn
        ),
        image_scanning_configuration=_ECR.ImageScanningConfigurationProperty(scan_on_push=True),
        lifecycle_policy=_ECR.LifecyclePolicyProperty(
            lifecycle_policy_text=_newest_images(spec.keep_images)
        ),
        empty_on_delete=cluster.protection == "destroy",
    )
    repository.apply_removal_policy(removal_policy(cluster))
    return repository


def _newest_images(count: int) -> str:
    """ECR user guide, "Lifecycle policy properties in Amazon ECR"."""
    rule = {
        "rulePriority": 1,
        "description": f"the newest {count} images are kept",
        "selection": {
            "tagStatus": "any",
            "countType": "imageCountMoreThan",
            "countNumber": count,
        },
        "action": {"type": "expire"},
    }
    return json.dumps({"rules": [rule]})
