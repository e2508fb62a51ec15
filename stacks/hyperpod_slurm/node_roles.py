"""The roles of a HyperPod cluster with Slurm: one per instance group, and one for jobs.

A group's role is that of the node: HyperPod's agents and the lifecycle scripts use it, as root. It
is based on AWS's managed policy AmazonSageMakerClusterInstanceRolePolicy, narrowed to this
account, region and cluster. Only the controller's role reads the accounting database's secrets.
Jobs have none of it: the nodes' packet filter lets only root and named services reach the instance
metadata service, and jobs get the credentials of the role for jobs
(docs/how-to/use-s3-in-jobs.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from aws_cdk import aws_iam as iam
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.derived_names import job_role, job_role_arn, node_role_path
from stacks.base.acknowledge import acknowledge
from stacks.foundation import Foundation
from stacks.hyperpod.network_permissions import acknowledge_network_permissions, network_statements
from stacks.identity.node_statements import (
    allow,
    bucket_wildcards,
    hyperpod_agents,
    hyperpod_log_groups,
    image_pulls,
    image_wildcards,
    key_use,
    reading,
    root_buckets,
    state_publishing,
    volume_grants,
    writing,
)
from stacks.lifecycle.lifecycle_stack import LifecycleStack
from stacks.observability.observability_stack import ObservabilityStack


class NodeRoles(Construct):
    """`by_group` are the roles of the groups; `policies` must exist before the nodes."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        base: Foundation,
        lifecycle: LifecycleStack,
        observability: ObservabilityStack,
    ) -> None:
        super().__init__(scope, construct_id)
        self._base = base
        cluster = base.cluster
        self.by_group = {
            group.name: iam.Role(
                self,
                f"Group-{group.name}",
                description=f"{cluster.environment}: nodes of the group {group.name}",
                path=node_role_path(cluster),
                # HyperPod documents no condition key for this request
                # (docs/explanations/threat-model.md).
                assumed_by=iam.ServicePrincipal("sagemaker.amazonaws.com"),
            )
            for group in cluster.compute
        }
        every = list(self.by_group.values())
        self.policies = [
            self._policy("Nodes", every, _node_statements(base, lifecycle, observability))
        ]
        controllers = [
            self.by_group[group.name] for group in cluster.compute if group.role == "controller"
        ]
        self.policies.append(self._policy("Controller", controllers, _controller_statements(base)))
        if job_role(cluster) is not None:
            self._jobs()

    def _policy(
        self, name: str, roles: Iterable[iam.Role], statements: Iterable[iam.PolicyStatement]
    ) -> iam.Policy:
        policy = iam.Policy(self, name, statements=list(statements), roles=list(roles))
        cluster = self._base.cluster
        acknowledge(
            policy,
            f"AwsSolutions-IAM5[Resource::{hyperpod_log_groups(cluster)}]",
            "HyperPod appends the cluster's id, which AWS chooses, to the log group's name",
        )
        for pattern, reason in bucket_wildcards(cluster):
            acknowledge(policy, f"AwsSolutions-IAM5[{pattern}]", reason)
        acknowledge_network_permissions(policy, cluster)
        return policy

    def _jobs(self) -> None:
        """The role for jobs, with a fixed name: policies of external buckets can contain it.

        It trusts the groups' roles by their path: a list of ARNs would exceed the size of a trust
        policy (2,048 characters) with about twenty groups.
        """
        cluster = self._base.cluster
        nodes = f"arn:{cluster.partition}:iam::{cluster.account}:role{node_role_path(cluster)}*"
        statements = list(_job_statements(cluster, self._base.identity.key_arn))
        role = iam.Role(
            self,
            "Jobs",
            role_name=job_role(cluster),
            description=f"{cluster.environment}: jobs, on every node of the cluster",
            assumed_by=iam.PrincipalWithConditions(
                iam.AccountPrincipal(cluster.account),
                {"ArnLike": {"aws:PrincipalArn": nodes}},
            ),
            inline_policies={"Jobs": iam.PolicyDocument(statements=statements)},
        )
        if cluster.slurm.containers.pyxis:
            acknowledge(
                role,
                "AwsSolutions-IAM5[Resource::*]",
                "ecr:GetAuthorizationToken has no resource type",
            )
            for pattern, reason in image_wildcards(cluster):
                acknowledge(role, f"AwsSolutions-IAM5[{pattern}]", reason)
        for pattern, reason in bucket_wildcards(cluster):
            acknowledge(role, f"AwsSolutions-IAM5[{pattern}]", reason)


def _node_statements(
    base: Foundation, lifecycle: LifecycleStack, observability: ObservabilityStack
) -> Iterator[iam.PolicyStatement]:
    cluster, key_arn = base.cluster, base.identity.key_arn
    yield from hyperpod_agents(cluster)
    if cluster.storage.lustre or cluster.storage.home is not None:
        yield allow("FileSystems", ["fsx:DescribeFileSystems"], ["*"])
    yield from reading(cluster, root_buckets(cluster))
    yield key_use(key_arn)
    yield volume_grants(key_arn)
    yield from network_statements(cluster, base.attachments)
    if observability.prometheus_workspace_arn is not None:
        yield allow(
            "PrometheusMetrics", ["aps:RemoteWrite"], [observability.prometheus_workspace_arn]
        )
    if lifecycle.munge_key_secret_arn is not None:
        # Every node of Slurm has the key: munged signs and verifies with it.
        yield allow(
            "MungeKey", ["secretsmanager:GetSecretValue"], [lifecycle.munge_key_secret_arn]
        )
    jobs = job_role_arn(cluster)
    if jobs is not None:
        yield allow("JobRole", ["sts:AssumeRole"], [jobs])


def _controller_statements(base: Foundation) -> Iterator[iam.PolicyStatement]:
    cluster, database = base.cluster, base.database
    yield state_publishing(cluster)
    if database is not None:
        secrets = [database.secret_arn, database.admin_secret_arn]
        yield allow(
            "AccountingSecrets",
            ["secretsmanager:DescribeSecret", "secretsmanager:GetSecretValue"],
            [secret for secret in secrets if secret is not None],
        )
    if cluster.slurm.configuration != "managed" and cluster.slurm.topology != "none":
        yield allow("Topology", ["ec2:DescribeInstanceTopology"], ["*"])


def _job_statements(cluster: Cluster, key_arn: str) -> Iterator[iam.PolicyStatement]:
    buckets = cluster.storage.buckets
    objects = [b.name for b in buckets if not b.directory]
    if objects:
        yield from reading(cluster, objects)
    yield from writing(cluster)
    if cluster.slurm.containers.pyxis:
        yield from image_pulls(cluster)
    if buckets:
        yield key_use(key_arn)
