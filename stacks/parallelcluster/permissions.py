"""Additional permissions of ParallelCluster's nodes, and those of its provider.

ParallelCluster creates a role for the head node, for each queue and for each pool of login nodes;
these policies are attached to all of them. Its provider attaches policies whose name or path
begins with `parallelcluster`, and no others (IamPolicy in
`cloudformation/policies/parallelcluster-policies.yaml` of aws/aws-parallelcluster, 3.13).
"""

from __future__ import annotations

from collections.abc import Iterator

from aws_cdk import aws_iam as iam
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster
from stacks.base import names
from stacks.base.acknowledge import acknowledge
from stacks.base.names import lifecycle_bucket as scripts_bucket
from stacks.identity.node_statements import images, key_use

PATH = "/parallelcluster/clusterwright/"


def node_policy(
    scope: Construct, cluster: Cluster, *, key_arn: str, prometheus_workspace_arn: str | None
) -> iam.ManagedPolicy:
    """Permissions of the scripts and jobs, on every node."""
    statements = [
        key_use(key_arn),
        *_services(cluster, prometheus_workspace_arn),
        *_buckets(cluster),
    ]
    policy = iam.ManagedPolicy(
        scope,
        "NodePolicy",
        path=PATH,
        description=f"{cluster.environment}: nodes of the cluster",
        statements=statements,
    )
    for pattern, reason in _wildcards(cluster):
        acknowledge(policy, f"AwsSolutions-IAM5[{pattern}]", reason)
    return policy


def provider_policy(
    scope: Construct, cluster: Cluster, *, password_secret_arn: str | None
) -> iam.ManagedPolicy:
    """Permissions that ParallelCluster's validators need and its policies lack: else they warn."""
    bucket = _bucket(cluster, scripts_bucket(cluster))
    statements = [
        iam.PolicyStatement(
            sid="Scripts",
            actions=["s3:GetBucketLocation", "s3:ListBucket"],
            resources=[bucket],
        ),
        iam.PolicyStatement(
            sid="ScriptObjects", actions=["s3:GetObject"], resources=[f"{bucket}/*"]
        ),
    ]
    if password_secret_arn is not None:
        statements.append(
            iam.PolicyStatement(
                sid="AccountingPassword",
                actions=["secretsmanager:DescribeSecret"],
                resources=[password_secret_arn],
            )
        )
    policy = iam.ManagedPolicy(
        scope,
        "ProviderPolicy",
        path=PATH,
        description=f"{cluster.environment}: validators of ParallelCluster",
        statements=statements,
    )
    acknowledge(
        policy,
        f"AwsSolutions-IAM5[Resource::{bucket}/*]",
        "scripts have hashed prefixes",
    )
    return policy


def _services(
    cluster: Cluster, prometheus_workspace_arn: str | None
) -> Iterator[iam.PolicyStatement]:
    if cluster.storage.lustre or cluster.storage.home is not None:
        yield iam.PolicyStatement(
            sid="FileSystems", actions=["fsx:DescribeFileSystems"], resources=["*"]
        )
    if cluster.slurm.containers.pyxis:
        yield from images(_repositories(cluster))
    if cluster.slurm.topology == "tree":
        yield iam.PolicyStatement(
            sid="Topology",
            actions=["ec2:DescribeInstances", "ec2:DescribeInstanceTopology"],
            resources=["*"],
        )
    if prometheus_workspace_arn is not None:
        yield iam.PolicyStatement(
            sid="Metrics", actions=["aps:RemoteWrite"], resources=[prometheus_workspace_arn]
        )


def _buckets(cluster: Cluster) -> Iterator[iam.PolicyStatement]:
    """Needed in addition to `S3Access`, which pools of login nodes do not have."""
    ours = cluster.storage.buckets
    read = [scripts_bucket(cluster), *(b.name for b in ours if b.mount_path)]
    write = [b.name for b in ours if not b.mount_path and not b.directory]
    yield iam.PolicyStatement(
        sid="ListBuckets",
        actions=["s3:GetBucketLocation", "s3:ListBucket"],
        resources=[_bucket(cluster, name) for name in [*read, *write]],
    )
    yield iam.PolicyStatement(
        sid="ReadObjects",
        actions=["s3:GetObject"],
        resources=[f"{_bucket(cluster, name)}/*" for name in [*read, *write]],
    )
    if write:
        yield iam.PolicyStatement(
            sid="WriteObjects",
            actions=["s3:AbortMultipartUpload", "s3:ListMultipartUploadParts", "s3:PutObject"],
            resources=[f"{_bucket(cluster, name)}/*" for name in write],
        )
    directories = [bucket for bucket in ours if bucket.directory]
    if directories:
        yield iam.PolicyStatement(
            sid="DirectoryBuckets",
            actions=["s3express:CreateSession"],
            resources=[
                f"arn:{cluster.partition}:s3express:{cluster.region}:{cluster.account}:"
                f"bucket/{names.directory_bucket(bucket, cluster)}"
                for bucket in directories
            ],
        )


def _wildcards(cluster: Cluster) -> Iterator[tuple[str, str]]:
    if (
        cluster.storage.lustre
        or cluster.storage.home
        or cluster.slurm.containers.pyxis
        or cluster.slurm.topology == "tree"
    ):
        yield (
            "Resource::*",
            "fsx:DescribeFileSystems, ecr:GetAuthorizationToken and actions that describe "
            "instances have no resource types",
        )
    if cluster.slurm.containers.pyxis:
        yield (
            f"Resource::{_repositories(cluster)}",
            "images of jobs are in any repository of this account",
        )
    for name in [scripts_bucket(cluster), *(b.name for b in cluster.storage.buckets)]:
        yield (
            f"Resource::{_bucket(cluster, name)}/*",
            f"every object of {name}: scripts have hashed prefixes, data sets grow",
        )


def _bucket(cluster: Cluster, name: str) -> str:
    return f"arn:{cluster.partition}:s3:::{name}"


def _repositories(cluster: Cluster) -> str:
    return f"arn:{cluster.partition}:ecr:{cluster.region}:{cluster.account}:repository/*"
