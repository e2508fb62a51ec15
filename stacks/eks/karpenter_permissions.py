"""The role of Karpenter's controller, through Pod Identity, for this cluster alone.

The documented permissions (aws/karpenter-provider-aws, v1.14,
website/content/en/v1.14/getting-started/getting-started-with-karpenter/cloudformation.yaml),
narrowed: subnets, security groups and reservations by their ids; no permission to create instance
profiles, since the stack creates one; none for zonal shift, which is off; prices only in regions
that have the Price List API. The cluster's key is added, which the documented template leaves to
the reader (EBS user guide, "Requirements for Amazon EBS encryption", permissions for users).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from aws_cdk import aws_iam as iam
from constructs import Construct

from clusterwright.catalog import Catalog
from clusterwright.cluster_spec.karpenter import scaled_groups
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import CapacityBlock, Reservation
from clusterwright.platforms.eks.launch_templates import takes_placement_group
from clusterwright.platforms.kubernetes.control_plane import cluster_name
from clusterwright.platforms.kubernetes.karpenter import is_isolated
from stacks.base.acknowledge import acknowledge
from stacks.foundation import Foundation
from stacks.identity.node_statements import allow, arn, network_arn
from stacks.kubernetes.roles import pod_identity

MADE: Final = (
    "fleet",
    "instance",
    "volume",
    "network-interface",
    "launch-template",
    "spot-instances-request",
)
"""Kinds of resources that Karpenter creates: without ids in advance, with the cluster's tags."""

LAUNCH: Final = ("ec2:CreateFleet", "ec2:RunInstances")
EC2: Final = ("ec2.amazonaws.com", "ec2.amazonaws.com.cn")
"""EC2's service principals, by partition."""

POOL: Final = "karpenter.sh/nodepool"


def controller_role(
    scope: Construct, base: Foundation, *, node_role_arn: str, profile_arn: str, queue_arn: str
) -> iam.Role:
    """The role, with a reason for every wildcard."""
    cluster, attachments = base.cluster, base.attachments
    permissions = _Permissions(cluster, base.catalog)
    statements = [
        *permissions.launches(attachments.node_subnet_ids, attachments.node_security_group_ids),
        *permissions.own_instances(),
        *permissions.reads(profile_arn),
        *permissions.key(base.identity.key_arn),
        allow(
            "HandOnNodeRole",
            ["iam:PassRole"],
            [node_role_arn],
            conditions={"StringEquals": {"iam:PassedToService": list(EC2)}},
        ),
        allow(
            "Warnings", ["sqs:DeleteMessage", "sqs:GetQueueUrl", "sqs:ReceiveMessage"], [queue_arn]
        ),
        allow(
            "LookAtCluster",
            ["eks:DescribeCluster"],
            [arn(cluster, "eks", f"cluster/{cluster_name(cluster)}")],
        ),
    ]
    role = iam.Role(
        scope,
        "ControllerRole",
        description=f"{cluster.environment}: Karpenter adds and removes nodes",
        assumed_by=pod_identity(cluster),
        inline_policies={"Karpenter": iam.PolicyDocument(statements=statements)},
    )
    for pattern, reason in permissions.wildcards():
        acknowledge(role, f"AwsSolutions-IAM5[{pattern}]", reason)
    return role


class _Permissions:
    """Statements for one cluster, whose resources are identified by their tags."""

    def __init__(self, cluster: Cluster, catalog: Catalog) -> None:
        self._cluster, self._catalog = cluster, catalog
        name = cluster_name(cluster)
        self._owned = f"kubernetes.io/cluster/{name}"
        self._of_cluster = {
            f"aws:RequestTag/{self._owned}": "owned",
            "aws:RequestTag/eks:eks-cluster-name": name,
        }
        self._is_ours: dict[str, Any] = {
            "StringEquals": {f"aws:ResourceTag/{self._owned}": "owned"},
            "StringLike": {f"aws:ResourceTag/{POOL}": "*"},
        }

    def launches(
        self, subnet_ids: Sequence[str], security_group_ids: Sequence[str]
    ) -> Iterator[iam.PolicyStatement]:
        yield allow(
            "LaunchInto",
            list(LAUNCH),
            [
                *self._images(),
                *(network_arn(self._cluster, f"subnet/{each}") for each in subnet_ids),
                *(self._ec2(f"security-group/{each}") for each in security_group_ids),
                *self._reservations(),
                *self._placement_groups(),
            ],
        )
        yield allow(
            "LaunchFromItsTemplates",
            list(LAUNCH),
            [self._ec2("launch-template/*")],
            conditions=self._is_ours,
        )
        made = [self._ec2(f"{kind}/*") for kind in MADE]
        pool = {f"aws:RequestTag/{POOL}": "*"}
        yield allow(
            "MakeWithTags",
            [*LAUNCH, "ec2:CreateLaunchTemplate"],
            made,
            conditions={"StringEquals": self._of_cluster, "StringLike": pool},
        )
        yield allow(
            "TagWhatItMakes",
            ["ec2:CreateTags"],
            made,
            conditions={
                "StringEquals": {
                    **self._of_cluster,
                    "ec2:CreateAction": ["RunInstances", "CreateFleet", "CreateLaunchTemplate"],
                },
                "StringLike": pool,
            },
        )

    def own_instances(self) -> Iterator[iam.PolicyStatement]:
        yield allow(
            "TagItsInstances",
            ["ec2:CreateTags"],
            [self._ec2("instance/*")],
            conditions={
                **self._is_ours,
                "StringEqualsIfExists": {
                    "aws:RequestTag/eks:eks-cluster-name": cluster_name(self._cluster)
                },
                "ForAllValues:StringEquals": {
                    "aws:TagKeys": ["eks:eks-cluster-name", "karpenter.sh/nodeclaim", "Name"]
                },
            },
        )
        yield allow(
            "EndItsInstances",
            ["ec2:DeleteLaunchTemplate", "ec2:TerminateInstances"],
            [self._ec2("instance/*"), self._ec2("launch-template/*")],
            conditions=self._is_ours,
        )

    def reads(self, profile_arn: str) -> Iterator[iam.PolicyStatement]:
        yield allow(
            "LookAtEc2",
            [
                "ec2:DescribeCapacityReservations",
                "ec2:DescribeImages",
                "ec2:DescribeInstanceStatus",
                "ec2:DescribeInstanceTypeOfferings",
                "ec2:DescribeInstanceTypes",
                "ec2:DescribeInstances",
                "ec2:DescribeLaunchTemplates",
                "ec2:DescribePlacementGroups",
                "ec2:DescribeSecurityGroups",
                "ec2:DescribeSpotPriceHistory",
                "ec2:DescribeSubnets",
            ],
            ["*"],
            conditions={"StringEquals": {"aws:RequestedRegion": self._cluster.region}},
        )
        yield allow("NewestImages", ["ssm:GetParameter"], [self._parameters()])
        yield allow("LookAtProfile", ["iam:GetInstanceProfile"], [profile_arn])
        if not is_isolated(self._cluster):
            yield allow(
                "PricesAndProfiles", ["iam:ListInstanceProfiles", "pricing:GetProducts"], ["*"]
            )

    def key(self, key_arn: str) -> Iterator[iam.PolicyStatement]:
        """The nodes' volumes are encrypted with the permissions of the caller of RunInstances."""
        through_ec2 = {"kms:ViaService": f"ec2.{self._cluster.region}.amazonaws.com"}
        yield allow(
            "Volumes",
            [
                "kms:Decrypt",
                "kms:DescribeKey",
                "kms:GenerateDataKeyWithoutPlaintext",
                "kms:ReEncryptFrom",
                "kms:ReEncryptTo",
            ],
            [key_arn],
            conditions={"StringEquals": through_ec2},
        )
        yield allow(
            "VolumeGrants",
            ["kms:CreateGrant"],
            [key_arn],
            conditions={
                "StringEquals": through_ec2,
                "Bool": {"kms:GrantIsForAWSResource": "true"},
            },
        )

    def wildcards(self) -> Iterator[tuple[str, str]]:
        yield (
            "Resource::*",
            "EC2's Describe actions, iam:ListInstanceProfiles and pricing:GetProducts take no "
            "resource; the region narrows EC2's",
        )
        for image in self._images():
            yield f"Resource::{image}", "the newest image of EKS is known only at launch"
        for kind in MADE:
            yield (
                f"Resource::{self._ec2(f'{kind}/*')}",
                "resources that Karpenter creates have no id in advance; only with the cluster's "
                "tags",
            )
        yield (
            f"Resource::{self._parameters()}",
            "AWS's public parameters, which name EKS's images of every version",
        )
        for each in self._placement_groups():
            yield (
                f"Resource::{each}",
                "the groups are created later, with the nodes; a placement group costs nothing",
            )
        for each in self._reservations():
            yield (
                f"Resource::{each}",
                "the reservation of the spec, from any account that shares it",
            )

    def _ec2(self, resource: str) -> str:
        return arn(self._cluster, "ec2", resource)

    def _shared(self, resource: str) -> str:
        """Of any account: reservations can be shared with this one."""
        return f"arn:{self._cluster.partition}:ec2:{self._cluster.region}:*:{resource}"

    def _images(self) -> tuple[str, str]:
        """Without an account, as EC2 writes them."""
        prefix = f"arn:{self._cluster.partition}:ec2:{self._cluster.region}::"
        return f"{prefix}image/*", f"{prefix}snapshot/*"

    def _parameters(self) -> str:
        return f"arn:{self._cluster.partition}:ssm:{self._cluster.region}::parameter/aws/service/*"

    def _reservations(self) -> list[str]:
        return [
            self._shared(f"capacity-reservation/{group.capacity.id}")
            for group in scaled_groups(self._cluster)
            if isinstance(group.capacity, Reservation | CapacityBlock)
        ]

    def _placement_groups(self) -> list[str]:
        placed = any(
            takes_placement_group(group, self._cluster.platform, self._catalog)
            for group in scaled_groups(self._cluster)
        )
        return [self._ec2("placement-group/*")] if placed else []
