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
from stacks.base.acknowledge import acknowledge
from stacks.base.names import lifecycle_bucket as scripts_bucket
from stacks.identity.node_statements import (
    allow,
    bucket_arn,
    bucket_permissions,
    bucket_wildcards,
    image_pulls,
    image_wildcards,
    key_use,
)

PATH = "/parallelcluster/clusterwright/"


def node_policy(
    scope: Construct, cluster: Cluster, *, key_arn: str, prometheus_workspace_arn: str | None
) -> iam.ManagedPolicy:
    """Permissions of the scripts and jobs, on every node."""
    statements = [
        key_use(key_arn),
        *_services(cluster, prometheus_workspace_arn),
        # In addition to `S3Access`, which pools of login nodes do not have.
        *bucket_permissions(cluster),
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
    bucket = bucket_arn(cluster, scripts_bucket(cluster))
    statements = [
        allow("Scripts", ["s3:GetBucketLocation", "s3:ListBucket"], [bucket]),
        allow("ScriptObjects", ["s3:GetObject"], [f"{bucket}/*"]),
    ]
    if password_secret_arn is not None:
        statements.append(
            allow("AccountingPassword", ["secretsmanager:DescribeSecret"], [password_secret_arn])
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
        yield allow("FileSystems", ["fsx:DescribeFileSystems"], ["*"])
    if cluster.slurm.containers.pyxis:
        yield from image_pulls(cluster)
    if cluster.slurm.topology == "tree":
        yield allow("Topology", ["ec2:DescribeInstances", "ec2:DescribeInstanceTopology"], ["*"])
    if prometheus_workspace_arn is not None:
        yield allow("Metrics", ["aps:RemoteWrite"], [prometheus_workspace_arn])


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
        yield from image_wildcards(cluster)
    yield from bucket_wildcards(cluster)
