"""The stack of a SageMaker HyperPod cluster: the base class for both orchestrators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sagemaker as sagemaker

from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.platforms.hyperpod.instance_groups import ml_name
from stacks.base.acknowledge import ignore_lint_everywhere
from stacks.base.cluster_stack import ClusterStack
from stacks.base.outdated_validators import acknowledge_dated_types
from stacks.foundation import Foundation
from stacks.hyperpod import instance_groups
from stacks.hyperpod.log_retention import node_log_retention
from stacks.storage.lustre import lustre_outputs

_CFN = sagemaker.CfnCluster


class HyperPodClusterStack(ClusterStack):
    """Instance groups, and permissions on resources whose ids other stacks create."""

    NAME_SUFFIX = "cluster"

    def __init__(
        self,
        base: Foundation,
        *,
        log_keeper_arn: str,
        description: str,
    ) -> None:
        super().__init__(base.scope, base.cluster, description=description)
        self._base, self._log_keeper_arn = base, log_keeper_arn

    def _create(self, *, policies: Sequence[iam.Policy], **properties: Any) -> None:
        """Create the cluster, after the policies of its nodes' roles."""
        cluster, attachments = self.cluster, self._base.attachments
        continuous = cluster.resilience.node_provisioning == "continuous"
        self.resource = _CFN(
            self,
            "Cluster",
            cluster_name=cluster.environment,
            node_provisioning_mode="Continuous" if continuous else None,
            node_recovery=cluster.resilience.node_recovery.capitalize(),
            vpc_config=_CFN.VpcConfigProperty(
                security_group_ids=list(attachments.node_security_group_ids),
                subnets=list(attachments.node_subnet_ids),
            ),
            **properties,
        )
        self.resource.node.add_dependency(*policies)
        self.arn: str = self.resource.attr_cluster_arn
        self._cluster_id = cdk.Fn.select(1, cdk.Fn.split("/", self.arn))
        node_log_retention(
            self,
            "LogRetention",
            cluster,
            cluster_id=self._cluster_id,
            function_arn=self._log_keeper_arn,
        )
        acknowledge_dated_types(self.resource, cluster)
        ignore_lint_everywhere(
            self, "W6001", "the outputs of a deployment are together, also those of other stacks"
        )

    def _instance_group(
        self, group: ComputeGroup, *, role: iam.IRole, **properties: Any
    ) -> _CFN.ClusterInstanceGroupProperty:
        capacity, image = group.capacity, self.cluster.image
        return _CFN.ClusterInstanceGroupProperty(
            instance_group_name=group.name,
            instance_type=ml_name(group.instance_type),
            instance_count=group.count,
            min_instance_count=group.min_count,
            execution_role=role.role_arn,
            threads_per_core=group.threads_per_core,
            capacity_requirements=instance_groups.capacity_requirements(capacity.kind),
            training_plan_arn=capacity.arn if capacity.kind == "training-plan" else None,
            network_interface=instance_groups.network_interface(group),
            on_start_deep_health_checks=instance_groups.health_checks(
                self.cluster, group, self._base.catalog
            ),
            image_id=image.image_id,
            # AWS's sources disagree on whether Slurm clusters accept it: CW-I006 warns.
            image_release_version=image.release_version,
            auto_patch_config=instance_groups.auto_patch(image),
            **properties,
        )

    def _outputs(self, login_group: str, kubeconfig: Mapping[str, str] | None = None) -> None:
        """`login_group` is the group whose nodes the login command names."""
        cluster, region = self.cluster, self.cluster.region
        outputs = {
            "ClusterName": cluster.environment,
            "ClusterArn": self.arn,
            "VpcId": self._base.attachments.vpc_id,
            **(kubeconfig or {}),
            "ListNodesCommand": (
                f"aws sagemaker list-cluster-nodes --cluster-name {cluster.environment} "
                f"--region {region}"
            ),
        }
        if cluster.identity.session_manager:
            target = f"sagemaker-cluster:{self._cluster_id}_{login_group}-<instance-id>"
            outputs["SsmLoginCommand"] = (
                f"aws ssm start-session --target {target} --region {region}"
            )
        outputs |= lustre_outputs(self._base.lustre)
        for name, value in outputs.items():
            cdk.CfnOutput(self, name, value=value)
