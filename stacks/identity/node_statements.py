"""Policy statements that the roles of several platforms' nodes share."""

from __future__ import annotations

from collections.abc import Iterator

from aws_cdk import aws_iam as iam

from clusterwright.cluster_spec.models.cluster import Cluster
from stacks.base import names


def arn(cluster: Cluster, service: str, resource: str) -> str:
    """An ARN of the cluster's account and region."""
    return f"arn:{cluster.partition}:{service}:{cluster.region}:{cluster.account}:{resource}"


def bucket_arn(cluster: Cluster, name: str) -> str:
    return f"arn:{cluster.partition}:s3:::{name}"


def bucket_permissions(cluster: Cluster) -> Iterator[iam.PolicyStatement]:
    """Read scripts and mounted buckets; read and write the other buckets of the spec."""
    ours = cluster.storage.buckets
    read = [names.lifecycle_bucket(cluster), *(b.name for b in ours if b.mount_path)]
    write = [b.name for b in ours if not b.mount_path and not b.directory]
    yield iam.PolicyStatement(
        sid="ListBuckets",
        actions=["s3:GetBucketLocation", "s3:ListBucket"],
        resources=[bucket_arn(cluster, name) for name in [*read, *write]],
    )
    yield iam.PolicyStatement(
        sid="ReadObjects",
        actions=["s3:GetObject"],
        resources=[f"{bucket_arn(cluster, name)}/*" for name in [*read, *write]],
    )
    if write:
        # Nodes add objects and replace them; they cannot delete any.
        yield iam.PolicyStatement(
            sid="WriteObjects",
            actions=["s3:AbortMultipartUpload", "s3:ListMultipartUploadParts", "s3:PutObject"],
            resources=[f"{bucket_arn(cluster, name)}/*" for name in write],
        )
    directories = [bucket for bucket in ours if bucket.directory]
    if directories:
        # S3 Express grants all permissions on objects through a session on the bucket.
        yield iam.PolicyStatement(
            sid="DirectoryBuckets",
            actions=["s3express:CreateSession"],
            resources=[
                arn(cluster, "s3express", f"bucket/{names.directory_bucket(bucket, cluster)}")
                for bucket in directories
            ],
        )


def bucket_wildcards(cluster: Cluster) -> Iterator[tuple[str, str]]:
    """The wildcards of `bucket_permissions`, each with the reason."""
    for name in [names.lifecycle_bucket(cluster), *(b.name for b in cluster.storage.buckets)]:
        yield (
            f"Resource::{bucket_arn(cluster, name)}/*",
            f"every object of {name}: scripts have hashed prefixes, data sets grow",
        )


def hyperpod_log_groups(cluster: Cluster) -> str:
    """HyperPod's log groups of the cluster, whose names end in an id that AWS chooses."""
    return arn(cluster, "logs", f"log-group:/aws/sagemaker/Clusters/{cluster.environment}/*")


def hyperpod_agents(cluster: Cluster) -> Iterator[iam.PolicyStatement]:
    """Logs and metrics of HyperPod's agents, and Session Manager if the spec enables it."""
    yield iam.PolicyStatement(
        sid="Logs",
        actions=[
            "logs:CreateLogGroup",
            "logs:CreateLogStream",
            "logs:DescribeLogStreams",
            "logs:PutLogEvents",
        ],
        resources=[hyperpod_log_groups(cluster)],
    )
    yield iam.PolicyStatement(
        sid="Metrics",
        actions=["cloudwatch:PutMetricData"],
        resources=["*"],
        conditions={"StringEquals": {"cloudwatch:namespace": "/aws/sagemaker/Clusters"}},
    )
    if cluster.identity.session_manager:
        yield iam.PolicyStatement(
            sid="SessionManager",
            actions=[
                "ssmmessages:CreateControlChannel",
                "ssmmessages:CreateDataChannel",
                "ssmmessages:OpenControlChannel",
                "ssmmessages:OpenDataChannel",
            ],
            resources=["*"],
        )


def images(repositories_arn: str) -> Iterator[iam.PolicyStatement]:
    """Pull images from these repositories."""
    yield iam.PolicyStatement(
        sid="RegistryLogin", actions=["ecr:GetAuthorizationToken"], resources=["*"]
    )
    yield iam.PolicyStatement(
        sid="ContainerImages",
        actions=[
            "ecr:BatchCheckLayerAvailability",
            "ecr:BatchGetImage",
            "ecr:GetDownloadUrlForLayer",
        ],
        resources=[repositories_arn],
    )


def key_use(key_arn: str) -> iam.PolicyStatement:
    """Read and write data that the cluster's key encrypts."""
    return iam.PolicyStatement(
        sid="Key",
        actions=["kms:Decrypt", "kms:DescribeKey", "kms:GenerateDataKey"],
        resources=[key_arn],
    )


def volume_grants(key_arn: str) -> iam.PolicyStatement:
    """HyperPod encrypts the nodes' volumes with the key through a grant that the role creates.

    Source: SageMaker developer guide, "Customer managed AWS KMS key encryption for HyperPod".
    """
    return iam.PolicyStatement(
        sid="VolumeGrants",
        actions=["kms:CreateGrant"],
        resources=[key_arn],
        conditions={"Bool": {"kms:GrantIsForAWSResource": "true"}},
    )
