"""Permissions on the network with which HyperPod creates and uses the nodes' interfaces.

Sources: SageMaker developer guide, "Setting up SageMaker HyperPod with a custom Amazon VPC";
Service Authorization Reference, "Actions, resources, and condition keys for Amazon EC2" (resource
types and condition keys of each action, as of 2026-10-27).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aws_cdk import aws_iam as iam

from clusterwright.cluster_spec.models.cluster import Cluster
from stacks.base.acknowledge import acknowledge
from stacks.identity.node_statements import allow, network_arn
from stacks.network.network_stack import Attachments

CREATION = "ec2:CreateNetworkInterface"
DETACHING = "ec2:DetachNetworkInterface"
USES = (
    "ec2:CreateNetworkInterfacePermission",
    "ec2:CreateTags",
    "ec2:DeleteNetworkInterface",
    "ec2:DeleteNetworkInterfacePermission",
    DETACHING,
)


def interfaces_arn(cluster: Cluster) -> str:
    """All network interfaces of the account and region: those of nodes have no id in advance."""
    return _arn(cluster, "network-interface", "*")


def instances_arn(cluster: Cluster) -> str:
    """All instances of the region: HyperPod's are in AWS's accounts, and have no id in advance."""
    return f"arn:{cluster.partition}:ec2:{cluster.region}:*:instance/*"


def in_network(cluster: Cluster, attachments: Attachments) -> dict[str, Any]:
    """The condition that an interface is in one of the nodes' subnets."""
    return {
        "ArnEquals": {
            "ec2:Subnet": [
                network_arn(cluster, f"subnet/{name}") for name in attachments.node_subnet_ids
            ],
            "ec2:Vpc": network_arn(cluster, f"vpc/{attachments.vpc_id}"),
        }
    }


def network_statements(
    cluster: Cluster, attachments: Attachments, *, more_uses: Sequence[str] = ()
) -> list[iam.PolicyStatement]:
    """The statements; `more_uses` are further actions on network interfaces."""
    interfaces = interfaces_arn(cluster)
    groups = dict.fromkeys(
        [*attachments.node_security_group_ids, *attachments.controller_security_group_ids]
    )
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
            [CREATION],
            [
                interfaces,
                *(network_arn(cluster, f"subnet/{name}") for name in attachments.node_subnet_ids),
                *(_arn(cluster, "security-group", name) for name in groups),
            ],
        ),
        # While an interface is created it is in no subnet yet, but the action is known.
        allow(
            "TagNewInterfaces",
            ["ec2:CreateTags"],
            [interfaces],
            {"StringEquals": {"ec2:CreateAction": CREATION.removeprefix("ec2:")}},
        ),
        allow(
            "UseInterfaces",
            sorted({*USES, *more_uses}),
            [interfaces],
            in_network(cluster, attachments),
        ),
        # The action has two resources; the interface is limited by the statement before.
        allow("DetachFromInstances", [DETACHING], [instances_arn(cluster)]),
    ]


def acknowledge_network_permissions(policy: iam.Policy, cluster: Cluster) -> None:
    """Accept the wildcards of the statements, with their reasons."""
    acknowledge(
        policy,
        "AwsSolutions-IAM5[Resource::*]",
        "these actions have no resource types: EC2's Describe actions, cloudwatch:PutMetricData "
        "(narrowed by its namespace), ssmmessages and fsx:DescribeFileSystems",
    )
    acknowledge(
        policy,
        f"AwsSolutions-IAM5[Resource::{interfaces_arn(cluster)}]",
        "interfaces are created with the nodes and have no id in advance; their subnets are "
        "conditions",
    )
    acknowledge(
        policy,
        f"AwsSolutions-IAM5[Resource::{instances_arn(cluster)}]",
        "detaching has the instance as a second resource, and HyperPod's are in AWS's accounts; "
        "the interface's subnet is a condition",
    )


def _arn(cluster: Cluster, kind: str, name: str) -> str:
    return f"arn:{cluster.partition}:ec2:{cluster.region}:{cluster.account}:{kind}/{name}"
