"""Permissions on the network with which HyperPod creates and uses the nodes' interfaces.

Source: SageMaker developer guide, "Setting up SageMaker HyperPod with a custom Amazon VPC".
"""

from __future__ import annotations

from collections.abc import Sequence

from aws_cdk import aws_iam as iam

from clusterwright.cluster_spec.models.cluster import Cluster
from stacks.base.acknowledge import acknowledge
from stacks.identity.node_statements import allow
from stacks.network.network_stack import Attachments

USES = (
    "ec2:CreateNetworkInterfacePermission",
    "ec2:CreateTags",
    "ec2:DeleteNetworkInterface",
    "ec2:DeleteNetworkInterfacePermission",
    "ec2:DetachNetworkInterface",
)


def interfaces_arn(cluster: Cluster) -> str:
    """All network interfaces of the account and region: those of nodes have no id in advance."""
    return _arn(cluster, "network-interface", "*")


def network_statements(
    cluster: Cluster, attachments: Attachments, *, more_uses: Sequence[str] = ()
) -> list[iam.PolicyStatement]:
    """Three statements; `more_uses` are further actions on network interfaces."""
    interfaces = interfaces_arn(cluster)
    return [
        allow(
            "LookAtNetwork",
            [
                "ec2:DescribeDhcpOptions",
                "ec2:DescribeNetworkInterfaces",
                "ec2:DescribeSecurityGroups",
                "ec2:DescribeSubnets",
                "ec2:DescribeVpcs",
            ],
            ["*"],
        ),
        allow(
            "MakeInterfaces",
            ["ec2:CreateNetworkInterface"],
            [
                interfaces,
                *(_arn(cluster, "subnet", name) for name in attachments.node_subnet_ids),
                *(
                    _arn(cluster, "security-group", name)
                    for name in attachments.node_security_group_ids
                ),
            ],
        ),
        allow("UseInterfaces", sorted({*USES, *more_uses}), [interfaces]),
    ]


def acknowledge_network_permissions(policy: iam.Policy, cluster: Cluster) -> None:
    """Accept the wildcards of the statements, with their reasons."""
    acknowledge(
        policy, "AwsSolutions-IAM5[Resource::*]", "EC2's Describe actions have no resource types"
    )
    acknowledge(
        policy,
        f"AwsSolutions-IAM5[Resource::{interfaces_arn(cluster)}]",
        "interfaces are created with the nodes and have no id in advance",
    )


def _arn(cluster: Cluster, kind: str, name: str) -> str:
    return f"arn:{cluster.partition}:ec2:{cluster.region}:{cluster.account}:{kind}/{name}"
