"""The roles of the instances, with the path that PCS requires, and their instance profiles.

PCS accepts an instance profile only if the name of its role begins with AWSPCS, or its path
contains /aws-pcs/ (PCS API, CreateComputeNodeGroup, iamInstanceProfileArn). The node of the
administration group has a role of its own: only it publishes the state of the cluster.
"""

from __future__ import annotations

from collections.abc import Iterator

from aws_cdk import aws_iam as iam
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.platforms.derived_names import node_role_path
from clusterwright.platforms.pcs.groups import administration_group
from stacks.base.acknowledge import acknowledge
from stacks.foundation import Foundation
from stacks.identity.node_statements import (
    allow,
    arn,
    bucket_permissions,
    bucket_wildcards,
    image_pulls,
    image_wildcards,
    key_use,
    session_manager,
    state_publishing,
)
from stacks.observability.observability_stack import ObservabilityStack


class NodeRoles(Construct):
    """Two roles, with an instance profile for each."""

    def __init__(
        self, scope: Construct, base: Foundation, observability: ObservabilityStack
    ) -> None:
        super().__init__(scope, "NodeRoles")
        cluster = base.cluster
        statements = list(_statements(base, observability))
        self._administration = administration_group(cluster)
        self._nodes = self._profile("Nodes", cluster, "nodes of jobs and of users", statements)
        self._administrators = self._profile(
            "Administration",
            cluster,
            "the node that administers the cluster",
            [*_statements(base, observability), state_publishing(cluster)],
        )

    def profile_of(self, group: ComputeGroup) -> iam.CfnInstanceProfile:
        """The instance profile of a group."""
        return self._administrators if group == self._administration else self._nodes

    def _profile(
        self, name: str, cluster: Cluster, what: str, statements: list[iam.PolicyStatement]
    ) -> iam.CfnInstanceProfile:
        role = iam.Role(
            self,
            name,
            description=f"{cluster.environment}: {what}",
            path=node_role_path(cluster),
            assumed_by=iam.ServicePrincipal("ec2.amazonaws.com"),
            inline_policies={"Nodes": iam.PolicyDocument(statements=statements)},
        )
        for pattern, reason in _wildcards(cluster):
            acknowledge(role, f"AwsSolutions-IAM5[{pattern}]", reason)
        return iam.CfnInstanceProfile(
            self, f"{name}Profile", roles=[role.role_name], path=node_role_path(cluster)
        )


def _statements(
    base: Foundation, observability: ObservabilityStack
) -> Iterator[iam.PolicyStatement]:
    cluster = base.cluster
    yield allow("Registration", ["pcs:RegisterComputeNodeGroupInstance"], [_clusters(cluster)])
    yield allow(
        "Logs",
        [
            "logs:CreateLogGroup",
            "logs:CreateLogStream",
            "logs:DescribeLogStreams",
            "logs:PutLogEvents",
        ],
        [_log_groups(cluster)],
    )
    if cluster.identity.session_manager:
        yield session_manager()
    if cluster.storage.lustre or cluster.storage.home is not None:
        yield allow("FileSystems", ["fsx:DescribeFileSystems"], ["*"])
    yield key_use(base.identity.key_arn)
    if cluster.slurm.containers.pyxis:
        yield from image_pulls(cluster)
    if observability.prometheus_workspace_arn is not None:
        yield allow("Metrics", ["aps:RemoteWrite"], [observability.prometheus_workspace_arn])
    yield from bucket_permissions(cluster)


def _clusters(cluster: Cluster) -> str:
    """Clusters of PCS have ids that AWS chooses."""
    return arn(cluster, "pcs", "cluster/*")


def _log_groups(cluster: Cluster) -> str:
    return arn(cluster, "logs", f"log-group:/clusterwright/{cluster.environment}/nodes*")


def _wildcards(cluster: Cluster) -> Iterator[tuple[str, str]]:
    yield (
        f"Resource::{_clusters(cluster)}",
        "PCS chooses the id of the cluster and of its groups",
    )
    yield (
        f"Resource::{_log_groups(cluster)}",
        "each node has a log stream in the log group of the nodes",
    )
    if cluster.identity.session_manager or cluster.storage.lustre or cluster.storage.home:
        yield (
            "Resource::*",
            "fsx:DescribeFileSystems, ecr:GetAuthorizationToken, ssmmessages and "
            "ssm:UpdateInstanceInformation have no resource types",
        )
    elif cluster.slurm.containers.pyxis:
        yield "Resource::*", "ecr:GetAuthorizationToken has no resource type"
    if cluster.slurm.containers.pyxis:
        yield from image_wildcards(cluster)
    yield from bucket_wildcards(cluster)
