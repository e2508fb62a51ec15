"""Roles of the control plane, of its administrators and of the add-ons that call AWS."""

from __future__ import annotations

from collections.abc import Iterator

from aws_cdk import aws_iam as iam
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.derived_names import bucket_name
from clusterwright.platforms.kubernetes.control_plane import cluster_name, mounted_buckets
from stacks.base.acknowledge import acknowledge
from stacks.base.service_principals import for_this_account
from stacks.identity.node_statements import allow, arn, bucket_arn, network_arn


def control_plane_role(scope: Construct, cluster: Cluster, key_arn: str) -> iam.Role:
    """The minimum that EKS documents for a cluster's role, and the key of its secrets.

    Source: EKS user guide, "Amazon EKS cluster IAM role": instead of the managed policy, a policy
    without the permissions of the legacy cloud provider to create load balancers.
    """
    instances = arn(cluster, "ec2", "instance/*")
    role = iam.Role(
        scope,
        "ControlPlaneRole",
        description=f"{cluster.environment}: control plane of Kubernetes",
        assumed_by=for_this_account(
            cluster,
            "eks.amazonaws.com",
            source_arn=arn(cluster, "eks", f"cluster/{cluster_name(cluster)}"),
        ),
        inline_policies={
            "ControlPlane": iam.PolicyDocument(
                statements=[
                    allow(
                        "TagNodes",
                        ["ec2:CreateTags"],
                        [instances],
                        conditions={
                            "ForAnyValue:StringLike": {"aws:TagKeys": "kubernetes.io/cluster/*"}
                        },
                    ),
                    allow(
                        "LookAtNodes",
                        [
                            "ec2:DescribeAvailabilityZones",
                            "ec2:DescribeDhcpOptions",
                            "ec2:DescribeInstances",
                            "ec2:DescribeInstanceTopology",
                            "ec2:DescribeNetworkInterfaces",
                            "ec2:DescribeVpcs",
                        ],
                        ["*"],
                    ),
                    allow(
                        "Secrets",
                        [
                            "kms:Decrypt",
                            "kms:DescribeKey",
                            "kms:Encrypt",
                            "kms:ListGrants",
                        ],
                        [key_arn],
                    ),
                ]
            )
        },
    )
    acknowledge(
        role, "AwsSolutions-IAM5[Resource::*]", "EC2's Describe actions have no resource types"
    )
    acknowledge(
        role,
        f"AwsSolutions-IAM5[Resource::{instances}]",
        "nodes have no id in advance; only tags of the cluster can be set",
    )
    return role


def admin_role(scope: Construct, cluster: Cluster, *, cluster_arn: str) -> iam.Role:
    """Administrators of Kubernetes; policies of the account decide who may assume the role."""
    return iam.Role(
        scope,
        "AdminRole",
        description=f"{cluster.environment}: administrators of Kubernetes",
        assumed_by=iam.AccountPrincipal(cluster.account),
        inline_policies={
            "Kubeconfig": iam.PolicyDocument(
                statements=[allow("LookAtCluster", ["eks:DescribeCluster"], [cluster_arn])]
            )
        },
    )


def addon_role(
    scope: Construct, cluster: Cluster, addon: str, *, key_arn: str, vpc_id: str
) -> iam.Role:
    """The role of an add-on's service account, through Pod Identity, for this cluster alone.

    `key_arn` is the key of the buckets that the cluster creates, `vpc_id` the VPC of the nodes.
    """
    statements, wildcards = _RIGHTS[addon]
    name = "".join(word.capitalize() for word in addon.split("-"))
    role = iam.Role(
        scope,
        f"{name}Role",
        description=f"{cluster.environment}: the add-on {addon}",
        assumed_by=pod_identity(cluster),
        inline_policies={
            name: iam.PolicyDocument(statements=list(statements(cluster, key_arn, vpc_id)))
        },
    )
    for pattern, reason in wildcards(cluster):
        acknowledge(role, f"AwsSolutions-IAM5[{pattern}]", reason)
    return role


def pod_identity(cluster: Cluster) -> iam.IPrincipal:
    """The principal of roles of pods: EKS Pod Identity, for this cluster only."""
    return iam.SessionTagsPrincipal(
        iam.ServicePrincipal(
            "pods.eks.amazonaws.com",
            conditions={
                "StringEquals": {"aws:SourceAccount": cluster.account},
                "ArnEquals": {
                    "aws:SourceArn": arn(cluster, "eks", f"cluster/{cluster_name(cluster)}")
                },
            },
        )
    )


def _network(cluster: Cluster, key_arn: str, vpc_id: str) -> Iterator[iam.PolicyStatement]:
    """AmazonEKS_CNI_Policy (AWS managed policy reference), narrowed to the VPC of the nodes.

    Instances and a new interface do not support the condition ec2:Vpc (Service Authorization
    Reference of EC2).
    """
    del key_arn
    in_vpc = {"ArnEquals": {"ec2:Vpc": network_arn(cluster, f"vpc/{vpc_id}")}}
    interfaces = arn(cluster, "ec2", "network-interface/*")
    yield allow(
        "LookAtNetwork",
        [
            "ec2:DescribeInstanceTypes",
            "ec2:DescribeInstances",
            "ec2:DescribeNetworkInterfaces",
            "ec2:DescribeSecurityGroups",
            "ec2:DescribeSubnets",
            "ec2:DescribeTags",
        ],
        ["*"],
    )
    yield allow(
        "Interfaces",
        [
            "ec2:AssignPrivateIpAddresses",
            "ec2:AttachNetworkInterface",
            "ec2:CreateTags",
            "ec2:DeleteNetworkInterface",
            "ec2:DetachNetworkInterface",
            "ec2:ModifyNetworkInterfaceAttribute",
            "ec2:UnassignPrivateIpAddresses",
        ],
        [interfaces],
        in_vpc,
    )
    yield allow("NewInterfaces", ["ec2:CreateNetworkInterface"], [interfaces])
    yield allow(
        "TagNewInterfaces",
        ["ec2:CreateTags"],
        [interfaces],
        {"StringEquals": {"ec2:CreateAction": "CreateNetworkInterface"}},
    )
    yield allow(
        "InTheVpc",
        ["ec2:CreateNetworkInterface", "ec2:ModifyNetworkInterfaceAttribute"],
        [arn(cluster, "ec2", f"{kind}/*") for kind in ("security-group", "subnet")],
        in_vpc,
    )
    yield allow(
        "Instances",
        [
            "ec2:AttachNetworkInterface",
            "ec2:DetachNetworkInterface",
            "ec2:ModifyNetworkInterfaceAttribute",
        ],
        [arn(cluster, "ec2", "instance/*")],
    )


def _network_wildcards(cluster: Cluster) -> Iterator[tuple[str, str]]:
    yield "Resource::*", "EC2's Describe actions have no resource types"
    for kind in ("instance", "network-interface", "security-group", "subnet"):
        yield (
            f"Resource::{arn(cluster, 'ec2', f'{kind}/*')}",
            "the plugin creates interfaces for nodes that have no id in advance; the VPC is a "
            "condition",
        )


def _container_logs(cluster: Cluster) -> str:
    name = cluster_name(cluster)
    return arn(cluster, "logs", f"log-group:/aws/containerinsights/{name}/*")


def _cloudwatch(cluster: Cluster, key_arn: str, vpc_id: str) -> Iterator[iam.PolicyStatement]:
    """CloudWatchAgentServerPolicy (AWS managed policy reference), narrowed to the cluster."""
    del key_arn, vpc_id
    yield allow(
        "Metrics",
        ["cloudwatch:PutMetricData"],
        ["*"],
        conditions={
            "StringEquals": {
                "cloudwatch:namespace": ["ContainerInsights", "ContainerInsights/Prometheus"]
            }
        },
    )
    yield allow("LookAtNodes", ["ec2:DescribeTags", "ec2:DescribeVolumes"], ["*"])
    yield allow(
        "Logs",
        [
            "logs:CreateLogGroup",
            "logs:CreateLogStream",
            "logs:DescribeLogGroups",
            "logs:DescribeLogStreams",
            "logs:PutLogEvents",
            "logs:PutRetentionPolicy",
        ],
        [_container_logs(cluster)],
    )


def _cloudwatch_wildcards(cluster: Cluster) -> Iterator[tuple[str, str]]:
    yield (
        "Resource::*",
        "EC2's Describe actions and PutMetricData have no resource types; the namespace limits it",
    )
    yield (
        f"Resource::{_container_logs(cluster)}",
        "the agent creates a log group for each kind of log",
    )


def _mountpoint(cluster: Cluster, key_arn: str, vpc_id: str) -> Iterator[iam.PolicyStatement]:
    """Permissions of Mountpoint for S3 on buckets that it only reads, and on the cluster's key.

    Source: awslabs/mountpoint-s3, doc/CONFIGURATION.md, "IAM permissions"; for directory buckets
    S3 API, CreateSession (botocore 1.44.5): if a read-write session is not allowed, a read-only
    one is tried.
    """
    del vpc_id
    buckets = mounted_buckets(cluster)
    names = [bucket.name for bucket in buckets if not bucket.directory]
    if names:
        yield allow(
            "ListBuckets", ["s3:ListBucket"], [bucket_arn(cluster, name) for name in names]
        )
        yield allow(
            "ReadObjects", ["s3:GetObject"], [f"{bucket_arn(cluster, name)}/*" for name in names]
        )
    directories = [bucket for bucket in buckets if bucket.directory]
    if directories:
        yield allow(
            "ReadDirectoryBuckets",
            ["s3express:CreateSession"],
            [
                arn(cluster, "s3express", f"bucket/{bucket_name(bucket, cluster)}")
                for bucket in directories
            ],
            conditions={"StringEquals": {"s3express:SessionMode": "ReadOnly"}},
        )
    yield allow("Key", ["kms:Decrypt"], [key_arn])


def _mountpoint_wildcards(cluster: Cluster) -> Iterator[tuple[str, str]]:
    for bucket in mounted_buckets(cluster):
        if not bucket.directory:
            yield (
                f"Resource::{bucket_arn(cluster, bucket.name)}/*",
                f"every object of {bucket.name}: the whole bucket is mounted read-only",
            )


_RIGHTS = {
    "aws-mountpoint-s3-csi-driver": (_mountpoint, _mountpoint_wildcards),
    "vpc-cni": (_network, _network_wildcards),
    "amazon-cloudwatch-observability": (_cloudwatch, _cloudwatch_wildcards),
}
"""FSx's driver has none: it mounts existing file systems and does not create any."""
