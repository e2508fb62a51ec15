"""Roles of HyperPod with EKS: of the nodes, and of HyperPod's autoscaling with Karpenter.

The nodes' role has AWS's managed policy AmazonSageMakerClusterInstanceRolePolicy and what EKS
needs in addition (SageMaker developer guide, "IAM role for SageMaker HyperPod", for clusters
orchestrated with EKS), narrowed to this account, region and cluster. Pods must not use it: grant
their permissions to service accounts with `kubernetes.pod_identities`.
"""

from __future__ import annotations

from collections.abc import Iterator

from aws_cdk import aws_iam as iam
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.derived_names import has_scripts
from clusterwright.platforms.kubernetes.control_plane import cluster_name
from stacks.base import names
from stacks.base.acknowledge import acknowledge
from stacks.identity.node_statements import (
    allow,
    arn,
    hyperpod_agents,
    hyperpod_log_groups,
    image_pulls,
    image_wildcards,
    key_use,
    volume_grants,
)

POD_INTERFACES = (
    "ec2:AssignPrivateIpAddresses",
    "ec2:ModifyNetworkInterfaceAttribute",
    "ec2:UnassignPrivateIpAddresses",
)
"""Additional actions on interfaces with which pods get addresses (the same page)."""


def node_role(scope: Construct, cluster: Cluster, key_arn: str) -> iam.Role:
    """The role, with the permissions whose resources are known before deployment."""
    role = iam.Role(
        scope,
        "ExecutionRole",
        description=f"{cluster.environment}: nodes of the HyperPod cluster",
        assumed_by=iam.ServicePrincipal("sagemaker.amazonaws.com"),
        inline_policies={
            "Nodes": iam.PolicyDocument(statements=list(_permissions(cluster, key_arn)))
        },
    )
    for pattern, reason in _wildcards(cluster):
        acknowledge(role, f"AwsSolutions-IAM5[{pattern}]", reason)
    return role


def scaling_role(scope: Construct, cluster: Cluster, key_arn: str) -> iam.Role:
    """`ClusterRole`: SageMaker developer guide, "Create an IAM role for HyperPod autoscaling with
    Karpenter", narrowed to the account, the region and the cluster's key.
    """
    clusters = arn(cluster, "sagemaker", "cluster/*")
    role = iam.Role(
        scope,
        "ScalingRole",
        description=f"{cluster.environment}: HyperPod adds and removes nodes",
        assumed_by=iam.ServicePrincipal("hyperpod.sagemaker.amazonaws.com"),
        inline_policies={
            "Scaling": iam.PolicyDocument(
                statements=[
                    allow(
                        "Nodes",
                        [
                            "sagemaker:BatchAddClusterNodes",
                            "sagemaker:BatchDeleteClusterNodes",
                        ],
                        [clusters],
                        conditions={"StringEquals": {"aws:ResourceAccount": cluster.account}},
                    ),
                    allow(
                        "Volumes",
                        ["kms:CreateGrant", "kms:DescribeKey"],
                        [key_arn],
                        conditions={
                            "StringEquals": {
                                "kms:ViaService": f"sagemaker.{cluster.region}.amazonaws.com"
                            },
                            "Bool": {"kms:GrantIsForAWSResource": "true"},
                        },
                    ),
                ]
            )
        },
    )
    acknowledge(
        role,
        f"AwsSolutions-IAM5[Resource::{clusters}]",
        "AWS chooses the cluster's id, and the cluster is created with this role",
    )
    return role


def _permissions(cluster: Cluster, key_arn: str) -> Iterator[iam.PolicyStatement]:
    yield from hyperpod_agents(cluster)
    yield from image_pulls(cluster)
    yield allow(
        "PodIdentity",
        ["eks-auth:AssumeRoleForPodIdentity"],
        [arn(cluster, "eks", f"cluster/{cluster_name(cluster)}")],
    )
    if has_scripts(cluster):
        yield allow("ListScripts", ["s3:ListBucket"], [_scripts(cluster)])
        yield allow("ReadScripts", ["s3:GetObject"], [f"{_scripts(cluster)}/*"])
    yield key_use(key_arn)
    yield volume_grants(key_arn)


def _wildcards(cluster: Cluster) -> Iterator[tuple[str, str]]:
    yield (
        "Resource::*",
        "these actions have no resource types: cloudwatch:PutMetricData (narrowed by its "
        "namespace), "
        "ssmmessages and ecr:GetAuthorizationToken",
    )
    yield (
        f"Resource::{hyperpod_log_groups(cluster)}",
        "HyperPod appends the cluster's id, which AWS chooses, to the log group's name",
    )
    yield from image_wildcards(cluster)
    if has_scripts(cluster):
        yield f"Resource::{_scripts(cluster)}/*", "scripts have hashed prefixes"


def _scripts(cluster: Cluster) -> str:
    return f"arn:{cluster.partition}:s3:::{names.lifecycle_bucket(cluster)}"
