"""SageMaker's add-ons, scheduling policy and quotas on the EKS cluster of a HyperPod cluster.

Deployed after the nodes: the add-ons' pods need nodes, and policies belong to the cluster.

Sources: names, service accounts and requirements of add-ons, aws/sagemaker-hyperpod-
cluster-setup (eks/cloudformation/observability-template.yaml, commit 0ab564d) and the managed
policy AmazonSageMakerHyperPodTrainingOperatorAccess; policies and quotas, the SageMaker API
(botocore 1.44.5) and CloudFormation's schema of AWS::SageMaker::ComputeQuota, for which the
pinned CDK has no typed class.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_eks as eks
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sagemaker as sagemaker

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.hyperpod_eks import HyperPodAddon, Inference, TaskGovernance
from clusterwright.cluster_spec.models.tenants import Tenant
from clusterwright.platforms.hyperpod.instance_groups import ml_name
from clusterwright.platforms.hyperpod_eks import mig
from clusterwright.platforms.hyperpod_eks.addons import (
    CERTIFICATES,
    NAMES,
    SERVICE_ACCOUNTS,
    TASK_GOVERNANCE,
)
from clusterwright.platforms.hyperpod_eks.compute_quotas import (
    QuotaShare,
    instance_shares,
    partition_shares,
)
from clusterwright.platforms.kubernetes.control_plane import cluster_name
from stacks.base.acknowledge import acknowledge
from stacks.base.cluster_stack import ClusterStack
from stacks.base.tags import tags_of
from stacks.foundation import Foundation
from stacks.hyperpod_eks.cluster import HyperPodEksStack
from stacks.hyperpod_eks.inference import InferenceOperator
from stacks.identity.node_statements import allow
from stacks.kubernetes.control_plane import ControlPlaneStack
from stacks.observability.observability_stack import ObservabilityStack

LARGEST_WEIGHT = 100
"""The maximum of FairShareWeight (CreateComputeQuota)."""


def is_built(cluster: Cluster) -> bool:
    """Whether the spec has add-ons, task governance or inference of SageMaker."""
    hyperpod = cluster.hyperpod
    return bool(
        hyperpod.addons or hyperpod.task_governance is not None or hyperpod.inference is not None
    )


class OperatorsStack(ClusterStack):
    """Add-ons first, then the policy, then each tenant's quota."""

    NAME_SUFFIX = "operators"

    def __init__(
        self,
        base: Foundation,
        kubernetes: ControlPlaneStack,
        hyperpod: HyperPodEksStack,
        observability: ObservabilityStack,
    ) -> None:
        cluster = base.cluster
        super().__init__(base.scope, cluster, description="SageMaker's add-ons, queues and shares")
        self._orchestrator_name, self._cluster_arn = kubernetes.name, hyperpod.arn
        workspace_id = observability.prometheus_workspace_id
        workspace_arn = observability.prometheus_workspace_arn
        self._workspace = (
            (workspace_id, workspace_arn)
            if workspace_id is not None and workspace_arn is not None
            else None
        )
        self._instance_shares = instance_shares(cluster)
        self._partition_shares = partition_shares(cluster, base.catalog)
        for addon in cluster.hyperpod.addons:
            self._addon(addon)
        if cluster.hyperpod.task_governance is not None:
            self._governance(cluster.hyperpod.task_governance)
        if cluster.hyperpod.inference is not None:
            self._inference(cluster.hyperpod.inference, kubernetes.issuer_url)

    def _addon(self, wanted: HyperPodAddon) -> None:
        namespace, account = SERVICE_ACCOUNTS[wanted.name]
        role = self._pod_role(wanted.name, list(self._permissions(wanted.name)))
        title = _title(wanted.name)
        if wanted.name == "observability":
            self._install(
                NAMES[wanted.name],
                wanted.version,
                configuration=self._observability_values(),
                identities=[
                    eks.CfnAddon.PodIdentityAssociationProperty(
                        role_arn=role.role_arn, service_account=account
                    )
                ],
            )
            return
        identity = eks.CfnPodIdentityAssociation(
            self,
            f"{title}Identity",
            cluster_name=self._orchestrator_name,
            namespace=namespace,
            service_account=account,
            role_arn=role.role_arn,
        )
        made = self._install(NAMES[wanted.name], wanted.version)
        made.add_resource_dependency(identity)
        made.add_resource_dependency(self._certificates())

    def _inference(self, wanted: Inference, issuer_url: str) -> None:
        operator = InferenceOperator(
            self,
            self.cluster,
            wanted,
            orchestrator_name=self._orchestrator_name,
            issuer_url=issuer_url,
            cluster_arn=self._cluster_arn,
            workspace_arn=self._workspace[1] if self._workspace is not None else None,
        )
        operator.addon.add_resource_dependency(self._certificates())

    def _certificates(self) -> eks.CfnAddon:
        """The add-on cert-manager, which several operators share."""
        found = self.node.try_find_child(_title(CERTIFICATES))
        if isinstance(found, eks.CfnAddon):
            return found
        return self._install(CERTIFICATES, None)

    def _install(
        self,
        name: str,
        version: str | None,
        *,
        configuration: dict[str, Any] | None = None,
        identities: list[eks.CfnAddon.PodIdentityAssociationProperty] | None = None,
    ) -> eks.CfnAddon:
        return eks.CfnAddon(
            self,
            _title(name),
            addon_name=name,
            addon_version=version,
            cluster_name=self._orchestrator_name,
            configuration_values=self.to_json_string(configuration) if configuration else None,
            pod_identity_associations=identities,
            resolve_conflicts="OVERWRITE",
        )

    def _observability_values(self) -> dict[str, Any]:
        """Values and levels as in AWS's template; those of governance and scaling if used."""
        workspace_id, arn = self._given_workspace()
        cluster, hyperpod = self.cluster, self.cluster.hyperpod
        levels = {
            "trainingMetrics": "BASIC",
            "inferenceMetrics": "BASIC",
            "taskGovernanceMetrics": "ADVANCED" if hyperpod.task_governance else "DISABLED",
            "scalingMetrics": "DISABLED" if hyperpod.autoscaling == "off" else "ADVANCED",
            "clusterMetrics": "BASIC",
            "nodeMetrics": "BASIC",
            "acceleratedComputeMetrics": "BASIC",
            "networkMetrics": "DISABLED",
        }
        interval = cluster.observability.metrics.interval_seconds
        return {
            "ampWorkspace": {
                "prometheusEndpoint": (
                    f"https://aps-workspaces.{cluster.region}.amazonaws.com/workspaces/"
                    f"{workspace_id}"
                ),
                "arn": arn,
            },
            "metricsProvider": {
                name: {"level": level, "scrapeInterval": interval}
                for name, level in levels.items()
            },
        }

    def _given_workspace(self) -> tuple[str, str]:
        assert self._workspace is not None, "the spec requires a workspace with the add-on"
        return self._workspace

    def _permissions(self, name: str) -> Iterator[iam.PolicyStatement]:
        if name == "training-operator":
            # AmazonSageMakerHyperPodTrainingOperatorAccess, for this cluster only.
            yield allow("LookAtNodes", ["sagemaker:DescribeClusterNode"], [self._cluster_arn])
            return
        yield allow("Metrics", ["aps:RemoteWrite"], [self._given_workspace()[1]])

    def _pod_role(self, name: str, statements: list[iam.PolicyStatement]) -> iam.Role:
        cluster = self.cluster
        orchestrator = (
            f"arn:{cluster.partition}:eks:{cluster.region}:{cluster.account}:cluster/"
            f"{cluster_name(cluster)}"
        )
        return iam.Role(
            self,
            f"{_title(name)}Role",
            description=f"{cluster.environment}: the add-on {NAMES[name]}",
            assumed_by=iam.SessionTagsPrincipal(
                iam.ServicePrincipal(
                    "pods.eks.amazonaws.com",
                    conditions={
                        "StringEquals": {"aws:SourceAccount": cluster.account},
                        "ArnEquals": {"aws:SourceArn": orchestrator},
                    },
                )
            ),
            inline_policies={_title(name): iam.PolicyDocument(statements=statements)},
        )

    def _governance(self, governance: TaskGovernance) -> None:
        cluster = self.cluster
        addon = self._install(TASK_GOVERNANCE, governance.addon_version)
        policy = sagemaker.CfnClusterSchedulerConfig(
            self,
            "Policy",
            name=cluster.environment,
            cluster_arn=self._cluster_arn,
            description=f"{cluster.environment}: priorities of jobs and lending of idle capacity",
            scheduler_config=sagemaker.CfnClusterSchedulerConfig.SchedulerConfigProperty(
                fair_share=_switch(governance.fair_share),
                idle_resource_sharing=_switch(governance.share_idle),
                priority_classes=[
                    sagemaker.CfnClusterSchedulerConfig.PriorityClassProperty(
                        name=each.name, weight=each.weight
                    )
                    for each in governance.priority_classes
                ]
                or None,
            ),
        )
        policy.add_resource_dependency(addon)
        heaviest = max((tenant.weight for tenant in cluster.tenants), default=1)
        for index, tenant in enumerate(cluster.tenants):
            quota = cdk.CfnResource(
                self,
                f"Quota-{tenant.name}",
                type="AWS::SageMaker::ComputeQuota",
                properties=self._quota(index, tenant, heaviest),
            )
            quota.add_resource_dependency(policy)
            acknowledge(
                quota,
                "CloudFormation-Validate::F3006",
                "the CDK's validation 1.12.1 (seen 2026-11-21) does not know the type; cfn-lint's "
                "schema does",
            )

    def _sharing(self, index: int, tenant: Tenant) -> dict[str, Any]:
        """A tenant with a limit may borrow up to it; without one AWS's default applies."""
        if not tenant.borrowing:
            return {"Strategy": "Lend"}
        if tenant.max_nodes is None:
            return {"Strategy": "LendAndBorrow"}
        return {
            "Strategy": "LendAndBorrow",
            "AbsoluteBorrowLimits": [
                *(
                    {"InstanceType": ml_name(name), "Count": _borrowable(shares[index])}
                    for name, shares in self._instance_shares.items()
                ),
                *(
                    _partitions(name, part, _borrowable(share))
                    for (name, part), shares in self._partition_shares.items()
                    for share in (shares[index],)
                ),
            ],
        }

    def _quota(self, index: int, tenant: Tenant, heaviest: int) -> dict[str, Any]:
        return {
            "Name": tenant.name,
            "ClusterArn": self._cluster_arn,
            "ActivationState": "Enabled",
            "ComputeQuotaTarget": {
                "TeamName": tenant.name,
                "FairShareWeight": max(1, tenant.weight * LARGEST_WEIGHT // heaviest),
            },
            "ComputeQuotaConfig": {
                "ComputeQuotaResources": [
                    *(
                        {"InstanceType": ml_name(name), "Count": shares[index].count}
                        for name, shares in self._instance_shares.items()
                    ),
                    *(
                        _partitions(name, part, shares[index].count)
                        for (name, part), shares in self._partition_shares.items()
                    ),
                ],
                "ResourceSharingConfig": self._sharing(index, tenant),
                "PreemptTeamTasks": "LowerPriority",
            },
            # The CDK tags only resources with typed classes.
            "Tags": [
                {"Key": key, "Value": value}
                for key, value in sorted(tags_of(self.cluster).items())
            ],
        }


def _borrowable(share: QuotaShare) -> int:
    """How many instances or partitions of its limit the tenant may borrow."""
    return (share.limit or 0) - share.count


def _partitions(instance_type: str, part: str, count: int) -> dict[str, Any]:
    return {
        "InstanceType": ml_name(instance_type),
        "AcceleratorPartition": {"Type": mig.quota_type(part), "Count": count},
    }


def _switch(value: bool) -> str:
    return "Enabled" if value else "Disabled"


def _title(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("-"))
