"""Created buckets: private, encrypted, TLS only; emptied with `protection: destroy`."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_s3express as s3express
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.storage import Bucket
from stacks.base import names
from stacks.base.acknowledge import acknowledge
from stacks.base.cluster_stack import removal_policy
from stacks.storage.bucket_emptying import log_what_empties

INCOMPLETE_UPLOAD_DAYS = 7


def data_bucket(
    scope: Construct,
    construct_id: str,
    cluster: Cluster,
    *,
    name: str,
    spec: Bucket | None,
    key_arn: str,
) -> s3.Bucket:
    """A general purpose bucket for data, with versioning."""
    destroy = cluster.protection == "destroy"
    expire = spec.expire_noncurrent_days if spec is not None else None
    bucket = s3.Bucket(
        scope,
        construct_id,
        bucket_name=name,
        versioned=True,
        encryption=s3.BucketEncryption.KMS,
        encryption_key=kms.Key.from_key_arn(scope, f"{construct_id}Key", key_arn),
        bucket_key_enabled=True,
        block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
        object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
        enforce_ssl=True,
        auto_delete_objects=destroy,
        removal_policy=removal_policy(cluster),
        lifecycle_rules=[
            s3.LifecycleRule(
                id="unfinished-uploads",
                abort_incomplete_multipart_upload_after=cdk.Duration.days(INCOMPLETE_UPLOAD_DAYS),
                noncurrent_version_expiration=cdk.Duration.days(expire) if expire else None,
            )
        ],
    )
    acknowledge(
        bucket,
        "AwsSolutions-S1",
        "CloudTrail data events log access to objects; the account's owner decides on them. "
        "A bucket of access logs for each bucket would double storage and cost",
    )
    if destroy:
        log_what_empties(scope, cluster)
    # A retained bucket keeps its policy: TLS only.
    bucket.policy.apply_removal_policy(removal_policy(cluster))
    return bucket


def directory_bucket(
    scope: Construct, construct_id: str, cluster: Cluster, spec: Bucket, *, key_arn: str
) -> s3express.CfnDirectoryBucket:
    """An S3 Express One Zone bucket in the nodes' zone."""
    encryption = s3express.CfnDirectoryBucket
    bucket = s3express.CfnDirectoryBucket(
        scope,
        construct_id,
        bucket_name=names.directory_bucket(spec, cluster),
        data_redundancy="SingleAvailabilityZone",
        location_name=cluster.network.availability_zone_id,
        bucket_encryption=encryption.BucketEncryptionProperty(
            server_side_encryption_configuration=[
                encryption.ServerSideEncryptionRuleProperty(
                    bucket_key_enabled=True,
                    server_side_encryption_by_default=(
                        encryption.ServerSideEncryptionByDefaultProperty(
                            sse_algorithm="aws:kms", kms_master_key_id=key_arn
                        )
                    ),
                )
            ]
        ),
    )
    bucket.apply_removal_policy(removal_policy(cluster))
    return bucket
