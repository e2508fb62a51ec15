"""The cluster on SageMaker HyperPod with Amazon EKS."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sagemaker as sagemaker

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.platforms.hyperpod.instance_groups import ml_name
from clusterwright.platforms.hyperpod_eks import mig
from clusterwright.platforms.kubernetes.groups import held_taints
from stacks.foundation import Foundation
from stacks.hyperpod import instance_groups
from stacks.hyperpod.hyperpod_cluster_stack import HyperPodClusterStack
from stacks.hyperpod.network_permissions import (
    acknowledge_network_permissions,
    network_statements,
)
from stacks.hyperpod_eks.node_scripts import NodeScriptsStack
from stacks.hyperpod_eks.roles import POD_INTERFACES, scaling_role
from stacks.kubernetes.control_plane import ControlPlaneStack
from stacks.observability.observability_stack import ObservabilityStack

_CFN = sagemaker.CfnCluster

DELETION = {"keep": "Keep", "delete-if-not-used": "DeleteIfNotUsed"}


class HyperPodEksStack(HyperPodClusterStack):
    """Instance groups that join the EKS cluster."""

    def __init__(
        self,
        base: Foundation,
        kubernetes: ControlPlaneStack,
        scripts: NodeScriptsStack | None,
        observability: ObservabilityStack,
    ) -> None:
        cluster = base.cluster
        super().__init__(
            base,
            log_keeper_arn=observability.log_keeper.function_arn,
            description="SageMaker HyperPod with Amazon EKS",
        )
        policy = iam.Policy(
            self,
            "NodeRights",
            statements=network_statements(cluster, base.attachments, more_uses=POD_INTERFACES),
            roles=[base.identity.role],
        )
        acknowledge_network_permissions(policy, cluster)
        self._scripts = scripts
        plain = [group for group in cluster.compute if not group.restricted]
        restricted = [group for group in cluster.compute if group.restricted]
        scales = cluster.hyperpod.autoscaling == "karpenter"
        role = scaling_role(self, cluster, base.identity.key_arn) if scales else None
        self._create(
            policies=[policy],
            instance_groups=[self._group(group) for group in plain] or None,
            restricted_instance_groups=[self._restricted(g) for g in restricted] or None,
            restricted_instance_groups_config=self._shared_environment(),
            orchestrator=_CFN.OrchestratorProperty(
                eks=_CFN.ClusterOrchestratorEksConfigProperty(cluster_arn=kubernetes.arn)
            ),
            cluster_role=role.role_arn if role is not None else None,
            auto_scaling=(
                _CFN.ClusterAutoScalingConfigProperty(mode="Enable", auto_scaler_type="Karpenter")
                if scales
                else None
            ),
            tiered_storage_config=self._tiered_storage(),
        )
        self._outputs(plain[0].name, {"KubeconfigCommand": kubernetes.kubeconfig_command()})
        if base.home is not None:
            cdk.CfnOutput(self, "HomeDnsName", value=base.home.dns_name)

    def _group(self, group: ComputeGroup) -> _CFN.ClusterInstanceGroupProperty:
        return self._instance_group(
            group,
            role=self._base.identity.role,
            life_cycle_config=self._life_cycle(group),
            instance_storage_configs=self._storage(group),
            kubernetes_config=_kubernetes(self.cluster, group),
        )

    def _restricted(self, group: ComputeGroup) -> _CFN.ClusterRestrictedInstanceGroupProperty:
        capacity = group.capacity
        return _CFN.ClusterRestrictedInstanceGroupProperty(
            instance_group_name=group.name,
            instance_type=ml_name(group.instance_type),
            instance_count=group.count,
            execution_role=self._base.identity.role.role_arn,
            threads_per_core=group.threads_per_core,
            instance_storage_configs=self._storage(group),
            training_plan_arn=capacity.arn if capacity.kind == "training-plan" else None,
            on_start_deep_health_checks=instance_groups.health_checks(
                self.cluster, group, self._base.catalog
            ),
        )

    def _shared_environment(self) -> _CFN.RestrictedInstanceGroupsConfigProperty | None:
        lustre = self.cluster.hyperpod.restricted_lustre
        if lustre is None:
            return None
        return _CFN.RestrictedInstanceGroupsConfigProperty(
            shared_environment_config=_CFN.SharedEnvironmentConfigProperty(
                f_sx_lustre_config=_CFN.FSxLustreConfigProperty(
                    size_in_gib=lustre.capacity_gib,
                    per_unit_storage_throughput=lustre.throughput_mbps_per_tib,
                ),
                f_sx_lustre_deletion_policy=DELETION[lustre.on_delete],
            )
        )

    def _tiered_storage(self) -> _CFN.TieredStorageConfigProperty | None:
        tiered = self.cluster.hyperpod.tiered_storage
        if tiered is None:
            return None
        return _CFN.TieredStorageConfigProperty(
            mode="Enable", instance_memory_allocation_percentage=tiered.memory_percent
        )

    def _life_cycle(self, group: ComputeGroup) -> _CFN.ClusterLifeCycleConfigProperty | None:
        """Lifecycle scripts are used only by groups that need more than the image does.

        `LifeCycleConfig` is optional (CreateCluster, botocore 1.44.5).
        """
        scripts = self._scripts
        if scripts is None or group.name not in scripts.entries:
            return None
        return _CFN.ClusterLifeCycleConfigProperty(
            source_s3_uri=scripts.source_s3_uri, on_create=scripts.entries[group.name]
        )

    def _storage(
        self, group: ComputeGroup
    ) -> list[_CFN.ClusterInstanceStorageConfigProperty] | None:
        """Volumes only: pods mount file systems as Kubernetes volumes."""
        found = instance_groups.volumes(self.cluster, group, key_arn=self._base.identity.key_arn)
        return found or None


def _kubernetes(
    cluster: Cluster, group: ComputeGroup
) -> _CFN.ClusterKubernetesConfigProperty | None:
    labels = dict(group.labels)
    if group.mig_profile is not None:
        labels[mig.LABEL] = group.mig_profile
    taints = [*group.taints, *held_taints(cluster, group)]
    if not labels and not taints:
        return None
    return _CFN.ClusterKubernetesConfigProperty(
        labels=labels or None,
        taints=[
            _CFN.ClusterKubernetesTaintProperty(
                key=taint.key, value=taint.value, effect=taint.effect
            )
            for taint in taints
        ]
        or None,
    )
