"""Policy statements that the roles of several platforms' nodes share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from aws_cdk import aws_iam as iam

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.derived_names import STATE_FOLDER, network_account
from clusterwright.platforms.image_repositories import pulled_repositories
from stacks.base import names

SESSION_CHANNELS: Final = (
    "ssmmessages:CreateControlChannel",
    "ssmmessages:CreateDataChannel",
    "ssmmessages:OpenControlChannel",
    "ssmmessages:OpenDataChannel",
)
"""Actions of Session Manager's agent."""


def arn(cluster: Cluster, service: str, resource: str) -> str:
    """An ARN of the cluster's account and region."""
    return f"arn:{cluster.partition}:{service}:{cluster.region}:{cluster.account}:{resource}"


def network_arn(cluster: Cluster, resource: str) -> str:
    """Return the ARN of a VPC or subnet, which another account may own: `vpc/vpc-...`."""
    owner = network_account(cluster)
    return f"arn:{cluster.partition}:ec2:{cluster.region}:{owner}:{resource}"


def allow(
    sid: str,
    actions: Sequence[str],
    resources: Sequence[str],
    conditions: Mapping[str, Any] | None = None,
) -> iam.PolicyStatement:
    """A statement that allows actions on resources."""
    return iam.PolicyStatement(
        sid=sid, actions=list(actions), resources=list(resources), conditions=conditions
    )


def bucket_arn(cluster: Cluster, name: str) -> str:
    return f"arn:{cluster.partition}:s3:::{name}"


def bucket_permissions(cluster: Cluster) -> Iterator[iam.PolicyStatement]:
    """Read scripts and mounted buckets; read and write the other buckets of the spec."""
    names_read = [*root_buckets(cluster), *written_buckets(cluster)]
    yield from reading(cluster, names_read)
    yield from writing(cluster)


def root_buckets(cluster: Cluster) -> list[str]:
    """Buckets that root reads: the scripts, and those that it mounts for every user."""
    mounted = [b.name for b in cluster.storage.buckets if b.mount_path]
    return [names.lifecycle_bucket(cluster), *mounted]


def written_buckets(cluster: Cluster) -> list[str]:
    """Buckets that jobs write through the API."""
    return [b.name for b in cluster.storage.buckets if not b.mount_path and not b.directory]


def reading(cluster: Cluster, buckets: Sequence[str]) -> Iterator[iam.PolicyStatement]:
    """List these buckets and read their objects."""
    yield allow(
        "ListBuckets",
        ["s3:GetBucketLocation", "s3:ListBucket"],
        [bucket_arn(cluster, name) for name in buckets],
    )
    yield allow(
        "ReadObjects",
        ["s3:GetObject"],
        [f"{bucket_arn(cluster, name)}/*" for name in buckets],
    )


def writing(cluster: Cluster) -> Iterator[iam.PolicyStatement]:
    """Write buckets of the spec that are not mounted, and use its directory buckets."""
    write = written_buckets(cluster)
    if write:
        # Nodes and jobs add objects and replace them; they cannot delete any.
        yield allow(
            "WriteObjects",
            ["s3:AbortMultipartUpload", "s3:ListMultipartUploadParts", "s3:PutObject"],
            [f"{bucket_arn(cluster, name)}/*" for name in write],
        )
    directories = [bucket for bucket in cluster.storage.buckets if bucket.directory]
    if directories:
        # S3 Express grants all permissions on objects through a session on the bucket.
        yield allow(
            "DirectoryBuckets",
            ["s3express:CreateSession"],
            [
                arn(cluster, "s3express", f"bucket/{names.directory_bucket(bucket, cluster)}")
                for bucket in directories
            ],
        )


def state_publishing(cluster: Cluster) -> iam.PolicyStatement:
    """Of the controller: publish the state of the cluster beside the scripts.

    Nothing else in the bucket can be written, so that a controller cannot change the scripts.
    """
    bucket = bucket_arn(cluster, names.lifecycle_bucket(cluster))
    return allow("ClusterState", ["s3:PutObject"], [f"{bucket}/{STATE_FOLDER}/*"])


def bucket_wildcards(cluster: Cluster) -> Iterator[tuple[str, str]]:
    """The wildcards of `bucket_permissions`, each with the reason."""
    scripts = bucket_arn(cluster, names.lifecycle_bucket(cluster))
    yield f"Resource::{scripts}/{STATE_FOLDER}/*", "answers have the names of requests"
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
    yield allow(
        "Logs",
        [
            "logs:CreateLogGroup",
            "logs:CreateLogStream",
            "logs:DescribeLogStreams",
            "logs:PutLogEvents",
        ],
        [hyperpod_log_groups(cluster)],
    )
    yield allow(
        "Metrics",
        ["cloudwatch:PutMetricData"],
        ["*"],
        conditions={"StringEquals": {"cloudwatch:namespace": "/aws/sagemaker/Clusters"}},
    )
    if cluster.identity.session_manager:
        yield allow("SessionManager", SESSION_CHANNELS, ["*"])


def session_manager() -> iam.PolicyStatement:
    """Be an instance of the account that Session Manager opens sessions on."""
    return allow("SessionManager", ["ssm:UpdateInstanceInformation", *SESSION_CHANNELS], ["*"])


PULL: Final = (
    "ecr:BatchCheckLayerAvailability",
    "ecr:BatchGetImage",
    "ecr:GetDownloadUrlForLayer",
)
"""Actions that pull an image."""


def image_pulls(cluster: Cluster) -> Iterator[iam.PolicyStatement]:
    """Pull images of this account, from the spec's repositories if it has any.

    Nodes of Kubernetes pull the images of add-ons and agents from registries of AWS's accounts as
    well.
    """
    repositories = _repositories(cluster)
    yield allow("RegistryLogin", ["ecr:GetAuthorizationToken"], ["*"])
    if not cluster.uses_kubernetes:
        yield allow("ContainerImages", PULL, repositories)
    elif not cluster.storage.image_repositories:
        yield allow("ContainerImages", PULL, [_every_registry(cluster)])
    else:
        yield allow("ContainerImages", PULL, repositories)
        yield allow(
            "ImagesOfAws",
            PULL,
            [_every_registry(cluster)],
            conditions={"StringNotEquals": {"aws:ResourceAccount": cluster.account}},
        )


def image_wildcards(cluster: Cluster) -> Iterator[tuple[str, str]]:
    """The wildcards of `image_pulls` in resources other than `*`, each with the reason."""
    if cluster.uses_kubernetes:
        yield (
            f"Resource::{_every_registry(cluster)}",
            "images of add-ons and agents are in registries of AWS's accounts, which differ by "
            "region; "
            + (
                "a condition excludes this account"
                if cluster.storage.image_repositories
                else "images of jobs in any repository of this account"
            ),
        )
    elif not cluster.storage.image_repositories:
        (every,) = _repositories(cluster)
        yield f"Resource::{every}", "images of jobs are in any repository of this account"


def _repositories(cluster: Cluster) -> list[str]:
    return [arn(cluster, "ecr", f"repository/{name}") for name in pulled_repositories(cluster)]


def _every_registry(cluster: Cluster) -> str:
    return f"arn:{cluster.partition}:ecr:{cluster.region}:*:repository/*"


def key_use(key_arn: str) -> iam.PolicyStatement:
    """Read and write data that the cluster's key encrypts."""
    return allow("Key", ["kms:Decrypt", "kms:DescribeKey", "kms:GenerateDataKey"], [key_arn])


def volume_grants(key_arn: str) -> iam.PolicyStatement:
    """HyperPod encrypts the nodes' volumes with the key through a grant that the role creates.

    Source: SageMaker developer guide, "Customer managed AWS KMS key encryption for HyperPod".
    """
    return allow(
        "VolumeGrants",
        ["kms:CreateGrant"],
        [key_arn],
        conditions={"Bool": {"kms:GrantIsForAWSResource": "true"}},
    )
