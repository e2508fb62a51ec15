"""The cluster itself on SageMaker HyperPod with Amazon EKS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from clusterwright.catalog import Catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.platforms.hyperpod.instance_groups import ml_name
from clusterwright.platforms.hyperpod_eks import mig
from stacks.base.acknowledge import ignore_lint_everywhere
from stacks.base.cluster_stack import ClusterStack
from stacks.base.outdated_validators import acknowledge_dated_types
from stacks.hyperpod import instance_groups as hyperpod_groups
from stacks.hyperpod.log_retention import node_log_retention
from stacks.hyperpod.network_permissions import acknowledge_network_rights, network_statements
from stacks.hyperpod_eks.node_scripts import NodeScriptsStack
from stacks.hyperpod_eks.roles import POD_INTERFACES, scaling_role
from stacks.network.network_stack import Attachments
from stacks.storage.home import HomeMount
from stacks.storage.lustre import LustreMount, lustre_outputs

_CFN = sagemaker.CfnCluster

DELETION = {"keep": "Keep", "delete-if-not-used": "DeleteIfNotUsed"}


@dataclass(frozen=True)
class ClusterInputs:
    """What the cluster needs of the other stacks."""

    attachments: Attachments
    role: iam.IRole
    key_arn: str
    orchestrator_arn: str
    kubeconfig_command: str
    scripts: NodeScriptsStack | None
    lustre: Sequence[LustreMount]
    home: HomeMount | None
    log_keeper_arn: str


class HyperPodEksStack(ClusterStack):
    """Instance groups that join the EKS cluster."""

    NAME_SUFFIX = "cluster"

    def __init__(
        self, scope: Construct, cluster: Cluster, catalog: Catalog, inputs: ClusterInputs
    ) -> None:
        super().__init__(scope, cluster, description="SageMaker HyperPod with Amazon EKS")
        self._catalog, self._inputs = catalog, inputs
        rights = self._rights()
        plain = [group for group in cluster.compute if not group.restricted]
        restricted = [group for group in cluster.compute if group.restricted]
        scales = cluster.hyperpod.autoscaling == "karpenter"
        role = scaling_role(self, cluster, inputs.key_arn) if scales else None
        continuous = cluster.resilience.node_provisioning == "continuous"
        self.resource = _CFN(
            self,
            "Cluster",
            cluster_name=cluster.environment,
            instance_groups=[self._group(group) for group in plain] or None,
            restricted_instance_groups=[self._restricted(g) for g in restricted] or None,
            restricted_instance_groups_config=self._shared_environment(),
            node_provisioning_mode="Continuous" if continuous else None,
            node_recovery=cluster.resilience.node_recovery.capitalize(),
            orchestrator=_CFN.OrchestratorProperty(
                eks=_CFN.ClusterOrchestratorEksConfigProperty(cluster_arn=inputs.orchestrator_arn)
            ),
            cluster_role=role.role_arn if role is not None else None,
            auto_scaling=(
                _CFN.ClusterAutoScalingConfigProperty(mode="Enable", auto_scaler_type="Karpenter")
                if scales
                else None
            ),
            tiered_storage_config=self._tiered_storage(),
            vpc_config=_CFN.VpcConfigProperty(
                security_group_ids=list(inputs.attachments.node_security_group_ids),
                subnets=list(inputs.attachments.node_subnet_ids),
            ),
        )
        self.resource.node.add_dependency(rights)
        self.arn: str = self.resource.attr_cluster_arn
        self._cluster_id = cdk.Fn.select(1, cdk.Fn.split("/", self.arn))
        node_log_retention(
            self,
            "LogRetention",
            cluster,
            cluster_id=self._cluster_id,
            function_arn=inputs.log_keeper_arn,
        )
        acknowledge_dated_types(self.resource, cluster)
        ignore_lint_everywhere(
            self, "W6001", "the outputs of a deployment stand together, those of other stacks too"
        )
        self._outputs()

    def _rights(self) -> iam.Policy:
        """Rights on subnets and security groups, whose ids come from other stacks."""
        policy = iam.Policy(
            self,
            "NodeRights",
            statements=network_statements(
                self.cluster, self._inputs.attachments, more_uses=POD_INTERFACES
            ),
            roles=[self._inputs.role],
        )
        acknowledge_network_rights(policy, self.cluster)
        return policy

    def _group(self, group: ComputeGroup) -> _CFN.ClusterInstanceGroupProperty:
        image, capacity = self.cluster.image, group.capacity
        return _CFN.ClusterInstanceGroupProperty(
            instance_group_name=group.name,
            instance_type=ml_name(group.instance_type),
            instance_count=group.count,
            min_instance_count=group.min_count,
            execution_role=self._inputs.role.role_arn,
            threads_per_core=group.threads_per_core,
            life_cycle_config=self._life_cycle(group),
            instance_storage_configs=self._storage(group),
            kubernetes_config=_kubernetes(group),
            capacity_requirements=hyperpod_groups.capacity_requirements(capacity.kind),
            training_plan_arn=capacity.arn if capacity.kind == "training-plan" else None,
            network_interface=hyperpod_groups.network_interface(group),
            on_start_deep_health_checks=hyperpod_groups.health_checks(
                self.cluster, group, self._catalog
            ),
            image_id=image.image_id,
            image_release_version=image.release_version,
            auto_patch_config=hyperpod_groups.auto_patch(image),
        )

    def _restricted(self, group: ComputeGroup) -> _CFN.ClusterRestrictedInstanceGroupProperty:
        capacity = group.capacity
        return _CFN.ClusterRestrictedInstanceGroupProperty(
            instance_group_name=group.name,
            instance_type=ml_name(group.instance_type),
            instance_count=group.count,
            execution_role=self._inputs.role.role_arn,
            threads_per_core=group.threads_per_core,
            instance_storage_configs=self._storage(group),
            training_plan_arn=capacity.arn if capacity.kind == "training-plan" else None,
            on_start_deep_health_checks=hyperpod_groups.health_checks(
                self.cluster, group, self._catalog
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
        """The image makes a node by itself; a script only where it is to do more.

        `LifeCycleConfig` is optional (CreateCluster, botocore 1.44.5).
        """
        scripts = self._inputs.scripts
        if scripts is None or group.name not in scripts.entries:
            return None
        return _CFN.ClusterLifeCycleConfigProperty(
            source_s3_uri=scripts.source_s3_uri, on_create=scripts.entries[group.name]
        )

    def _health_checks(self, group: ComputeGroup) -> list[str] | None:
        return hyperpod_groups.health_checks(self.cluster, group, self._catalog)

    def _storage(
        self, group: ComputeGroup
    ) -> list[_CFN.ClusterInstanceStorageConfigProperty] | None:
        """Volumes alone: pods mount file systems as volumes of Kubernetes."""
        found = hyperpod_groups.volumes(self.cluster, group, key_arn=self._inputs.key_arn)
        return found or None

    def _outputs(self) -> None:
        cluster, region = self.cluster, self.cluster.region
        outputs = {
            "ClusterName": cluster.environment,
            "ClusterArn": self.arn,
            "VpcId": self._inputs.attachments.vpc_id,
            "KubeconfigCommand": self._inputs.kubeconfig_command,
            "ListNodesCommand": (
                f"aws sagemaker list-cluster-nodes --cluster-name {cluster.environment} "
                f"--region {region}"
            ),
        }
        if cluster.identity.session_manager:
            door = next(group for group in cluster.compute if not group.restricted).name
            outputs["SsmLoginCommand"] = (
                f"aws ssm start-session --target sagemaker-cluster:{self._cluster_id}_{door}-"
                f"<instance-id> --region {region}"
            )
        outputs |= lustre_outputs(self._inputs.lustre)
        if self._inputs.home is not None:
            outputs["HomeDnsName"] = self._inputs.home.dns_name
        for name, value in outputs.items():
            cdk.CfnOutput(self, name, value=value)


def _kubernetes(group: ComputeGroup) -> _CFN.ClusterKubernetesConfigProperty | None:
    labels = dict(group.labels)
    if group.mig_profile is not None:
        labels[mig.LABEL] = group.mig_profile
    if not labels and not group.taints:
        return None
    return _CFN.ClusterKubernetesConfigProperty(
        labels=labels or None,
        taints=[
            _CFN.ClusterKubernetesTaintProperty(
                key=taint.key, value=taint.value, effect=taint.effect
            )
            for taint in group.taints
        ]
        or None,
    )
