"""Managed node groups of EKS: at least one for each group of the spec."""

from __future__ import annotations

from collections.abc import Iterator

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_eks as eks
from aws_cdk import aws_iam as iam
from constructs import Construct

from clusterwright.cluster_spec.karpenter import is_scaled
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.platforms.eks.launch_templates import (
    CAPACITY_TYPES,
    NodeGroup,
    image_type,
    labels,
    node_groups,
    takes_placement_group,
)
from clusterwright.platforms.kubernetes.control_plane import cluster_name
from clusterwright.platforms.kubernetes.groups import held_taints
from clusterwright.platforms.kubernetes.karpenter import PLACEMENT_GROUPS
from stacks.base.acknowledge import acknowledge, ignore_lint_everywhere
from stacks.base.cluster_stack import ClusterStack
from stacks.eks.launch_template import launch_template
from stacks.foundation import Foundation
from stacks.identity.node_statements import (
    allow,
    image_pulls,
    image_wildcards,
    session_manager,
)
from stacks.kubernetes.control_plane import ControlPlaneStack
from stacks.storage.lustre import lustre_outputs

_CFN = eks.CfnNodegroup

EFFECTS = {
    "NoSchedule": "NO_SCHEDULE",
    "PreferNoSchedule": "PREFER_NO_SCHEDULE",
    "NoExecute": "NO_EXECUTE",
}
"""Taint effects of Kubernetes, and their names in EKS's API."""


class NodeGroupsStack(ClusterStack):
    """Launch templates, placement groups and node groups, all in the subnets of one zone."""

    NAME_SUFFIX = "cluster"

    def __init__(self, base: Foundation, kubernetes: ControlPlaneStack) -> None:
        super().__init__(base.scope, base.cluster, description="node groups of Kubernetes on EKS")
        self._base, self._kubernetes = base, kubernetes
        self.node_groups: list[eks.CfnNodegroup] = []
        self.scaled_placement_groups: dict[str, str] = {}
        """By group, for groups that have Karpenter's nodes beside those of a node group."""

        for group in base.cluster.compute:
            self._group(group)
        ignore_lint_everywhere(
            self, "W6001", "the outputs of a deployment are together, also those of other stacks"
        )
        self._outputs()

    def _group(self, group: ComputeGroup) -> None:
        # Names may differ in hyphens or case only, which logical ids do not show.
        scope = Construct(self, group.name)
        scaled = is_scaled(self.cluster, group)
        placement = self._placement_group(scope, group)
        if scaled and placement is not None:
            self.scaled_placement_groups[group.name] = placement
        parts = node_groups(group, karpenter=scaled)
        if not parts:
            return  # Karpenter creates its own launch templates
        template = launch_template(
            scope,
            "Template",
            self.cluster,
            group,
            self._base.catalog,
            security_group_ids=self._base.attachments.node_security_group_ids,
            key_arn=self._base.identity.key_arn,
            control_plane=self._kubernetes.resource,
            placement_group_name=placement,
        )
        for index, part in enumerate(parts, start=1):
            logical = "Nodes" if index == 1 else f"Nodes{index}"
            self.node_groups.append(self._node_group(scope, logical, group, part, template))

    def _placement_group(self, scope: Construct, group: ComputeGroup) -> str | None:
        if not takes_placement_group(group, self.cluster.platform, self._base.catalog):
            return None
        return ec2.CfnPlacementGroup(scope, "Placement", strategy="cluster").ref

    def _node_group(
        self,
        scope: Construct,
        logical: str,
        group: ComputeGroup,
        part: NodeGroup,
        template: ec2.CfnLaunchTemplate,
    ) -> eks.CfnNodegroup:
        kubernetes, jobs = self.cluster.kubernetes, group.role == "compute"
        own_image = self.cluster.image.image_id
        return _CFN(
            scope,
            logical,
            # No fixed name, so that a replacement can exist beside the old group.
            cluster_name=self._kubernetes.name,
            node_role=self._base.identity.role.role_arn,
            # Otherwise an update of the control plane would not update the nodes.
            version=kubernetes.version if own_image is None else None,
            subnets=list(self._base.attachments.node_subnet_ids),
            # With an image in the launch template EKS accepts neither version nor AMI type.
            ami_type=(
                image_type(group.instance_type, self._base.catalog) if own_image is None else None
            ),
            capacity_type=CAPACITY_TYPES[group.capacity.kind],
            launch_template=_CFN.LaunchTemplateSpecificationProperty(
                id=template.ref, version=template.attr_latest_version_number
            ),
            scaling_config=_CFN.ScalingConfigProperty(
                min_size=part.least, desired_size=part.wanted, max_size=part.most
            ),
            update_config=_CFN.UpdateConfigProperty(
                max_unavailable_percentage=kubernetes.max_unavailable_percent if jobs else None,
                max_unavailable=None if jobs else 1,
                # By default EKS launches new nodes before it terminates old ones, for which
                # there is no capacity if accelerators are reserved or scarce.
                update_strategy="MINIMAL" if jobs else "DEFAULT",
            ),
            node_repair_config=_CFN.NodeRepairConfigProperty(
                enabled=self.cluster.resilience.node_recovery == "automatic"
            ),
            labels=labels(group),
            taints=[
                _CFN.TaintProperty(key=taint.key, value=taint.value, effect=EFFECTS[taint.effect])
                for taint in [*group.taints, *held_taints(self.cluster, group)]
            ]
            or None,
        )

    def _outputs(self) -> None:
        cluster, region, name = self.cluster, self.cluster.region, cluster_name(self.cluster)
        outputs = {
            "ClusterName": name,
            "ClusterArn": self._kubernetes.arn,
            "VpcId": self._base.attachments.vpc_id,
            "KubeconfigCommand": self._kubernetes.kubeconfig_command(),
            "ListNodesCommand": (
                f"aws ec2 describe-instances --region {region} --filters "
                f"Name=tag:eks:cluster-name,Values={name} "
                "Name=instance-state-name,Values=running "
                "--query 'Reservations[].Instances[].[InstanceId,InstanceType,PrivateIpAddress]' "
                "--output table"
            ),
        }
        if cluster.identity.session_manager:
            outputs["SsmLoginCommand"] = (
                f"aws ssm start-session --target <instance-id> --region {region}"
            )
        if self.scaled_placement_groups:
            outputs[PLACEMENT_GROUPS] = json_text(self.scaled_placement_groups)
        outputs |= lustre_outputs(self._base.lustre)
        if self._base.home is not None:
            outputs["HomeDnsName"] = self._base.home.dns_name
        for key, value in outputs.items():
            cdk.CfnOutput(self, key, value=value)


def json_text(values: dict[str, str]) -> str:
    """A JSON object whose values are known when the stack is deployed.

    Joined as text: the CDK's own conversion would create a CloudFormation function for each.
    """
    return "{" + ",".join(f'"{key}":"{value}"' for key, value in values.items()) + "}"


def node_role(scope: Construct, cluster: Cluster, key_arn: str) -> iam.Role:
    """The role of the nodes. Pods cannot use it: they have separate roles.

    AmazonEKSWorkerNodeMinimalPolicy and AmazonEC2ContainerRegistryPullOnly (AWS managed policy
    reference), narrowed to the cluster and region, and the calls of nodeadm when a node starts.
    """
    del key_arn  # volumes are encrypted by EC2 for Auto Scaling's role, which the key admits
    role = iam.Role(
        scope,
        "NodeRole",
        description=f"{cluster.environment}: nodes of Kubernetes",
        assumed_by=iam.ServicePrincipal("ec2.amazonaws.com"),
        inline_policies={"Nodes": iam.PolicyDocument(statements=list(_permissions(cluster)))},
    )
    acknowledge(
        role,
        "AwsSolutions-IAM5[Resource::*]",
        "these actions have no resource types: ec2:Describe, ecr:GetAuthorizationToken, "
        "ssmmessages and "
        "ssm:UpdateInstanceInformation, which registers an instance without an id in advance",
    )
    for pattern, reason in image_wildcards(cluster):
        acknowledge(role, f"AwsSolutions-IAM5[{pattern}]", reason)
    return role


def _permissions(cluster: Cluster) -> Iterator[iam.PolicyStatement]:
    arn = (
        f"arn:{cluster.partition}:eks:{cluster.region}:{cluster.account}:"
        f"cluster/{cluster_name(cluster)}"
    )
    yield allow("Cluster", ["eks-auth:AssumeRoleForPodIdentity", "eks:DescribeCluster"], [arn])
    yield allow("LookAtItself", ["ec2:DescribeInstances", "ec2:DescribeInstanceTypes"], ["*"])
    yield from image_pulls(cluster)
    if cluster.identity.session_manager:
        yield session_manager()
