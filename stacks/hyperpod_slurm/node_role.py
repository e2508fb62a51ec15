"""The role of the nodes: permissions of HyperPod's agents, the lifecycle scripts and jobs.

It is based on AWS's managed policy AmazonSageMakerClusterInstanceRolePolicy, narrowed to this
account, region and cluster. Permissions on resources whose ids are known only at deployment
(subnets, secrets, workspaces) are granted in the stacks that have the ids.
"""

from __future__ import annotations

from collections.abc import Iterator

from aws_cdk import aws_iam as iam
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster
from stacks.base.acknowledge import acknowledge
from stacks.identity.node_statements import (
    arn,
    bucket_permissions,
    bucket_wildcards,
    hyperpod_agents,
    hyperpod_log_groups,
    images,
    key_use,
    volume_grants,
)


def execution_role(scope: Construct, cluster: Cluster, key_arn: str) -> iam.Role:
    """The role, with the permissions whose resources are known before deployment."""
    statements = list(_statements(cluster, key_arn))
    role = iam.Role(
        scope,
        "ExecutionRole",
        description=f"{cluster.environment}: nodes of the HyperPod cluster",
        assumed_by=iam.ServicePrincipal("sagemaker.amazonaws.com"),
        inline_policies={"Nodes": iam.PolicyDocument(statements=statements)},
    )
    for pattern, reason in _wildcards(cluster):
        acknowledge(role, f"AwsSolutions-IAM5[{pattern}]", reason)
    return role


def _statements(cluster: Cluster, key_arn: str) -> Iterator[iam.PolicyStatement]:
    yield from _service_permissions(cluster)
    yield from bucket_permissions(cluster)
    yield from _key_permissions(key_arn)


def _service_permissions(cluster: Cluster) -> Iterator[iam.PolicyStatement]:
    yield from hyperpod_agents(cluster)
    if cluster.storage.lustre or cluster.storage.home is not None:
        yield iam.PolicyStatement(
            sid="FileSystems", actions=["fsx:DescribeFileSystems"], resources=["*"]
        )
    if cluster.slurm.containers.pyxis:
        yield from images(arn(cluster, "ecr", "repository/*"))
    existing = cluster.slurm.accounting.existing
    if existing is not None:
        yield iam.PolicyStatement(
            sid="AccountingSecret",
            actions=["secretsmanager:DescribeSecret", "secretsmanager:GetSecretValue"],
            resources=[existing.secret_arn],
        )


def _key_permissions(key_arn: str) -> Iterator[iam.PolicyStatement]:
    yield key_use(key_arn)
    yield volume_grants(key_arn)


def _wildcards(cluster: Cluster) -> Iterator[tuple[str, str]]:
    star = (
        "these actions have no resource types: cloudwatch:PutMetricData (narrowed by its "
        "namespace), "
        "ssmmessages, fsx:DescribeFileSystems and ecr:GetAuthorizationToken"
    )
    yield "Resource::*", star
    yield (
        f"Resource::{hyperpod_log_groups(cluster)}",
        "HyperPod appends the cluster's id, which AWS chooses, to the log group's name",
    )
    if cluster.slurm.containers.pyxis:
        yield (
            f"Resource::{arn(cluster, 'ecr', 'repository/*')}",
            "images of jobs are in any repository of this account",
        )
    yield from bucket_wildcards(cluster)
