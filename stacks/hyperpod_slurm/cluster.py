"""The cluster on SageMaker HyperPod with Slurm."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_sagemaker as sagemaker

from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.platforms.entry_scripts import ENTRY
from clusterwright.platforms.hyperpod.instance_groups import lustre_mounted_by_hyperpod
from stacks.foundation import Foundation
from stacks.hyperpod import instance_groups
from stacks.hyperpod.hyperpod_cluster_stack import HyperPodClusterStack
from stacks.hyperpod_slurm.node_roles import NodeRoles
from stacks.lifecycle.lifecycle_stack import LifecycleStack
from stacks.observability.observability_stack import ObservabilityStack

_CFN = sagemaker.CfnCluster

NODE_TYPES = {"controller": "Controller", "login": "Login", "compute": "Compute"}


class HyperPodSlurmStack(HyperPodClusterStack):
    """The cluster and the roles of its nodes."""

    def __init__(
        self, base: Foundation, lifecycle: LifecycleStack, observability: ObservabilityStack
    ) -> None:
        super().__init__(
            base,
            log_keeper_arn=observability.log_keeper.function_arn,
            description="SageMaker HyperPod with Slurm",
        )
        cluster = base.cluster
        self._source_s3_uri = lifecycle.source_s3_uri
        self._managed = cluster.slurm.configuration == "managed"
        self._roles = NodeRoles(self, "NodeRoles", base, lifecycle, observability)
        self._create(
            policies=self._roles.policies,
            instance_groups=[self._group(group) for group in cluster.compute],
            orchestrator=self._orchestrator(),
        )
        login_groups = [
            g.name for role in ("login", "controller") for g in cluster.compute if g.role == role
        ]
        self._outputs(login_groups[0])

    def _orchestrator(self) -> _CFN.OrchestratorProperty | None:
        if not self._managed:
            return None
        accounting = self._base.database
        slurm = self.cluster.slurm
        continuous = self.cluster.resilience.node_provisioning == "continuous"
        return _CFN.OrchestratorProperty(
            slurm=_CFN.ClusterOrchestratorSlurmConfigProperty(
                # With continuous provisioning HyperPod refuses every strategy.
                slurm_config_strategy=None if continuous else slurm.strategy or "Managed",
                accounting_database=(
                    _CFN.ClusterAccountingDatabaseProperty(
                        endpoint=accounting.endpoint,
                        port=_number(accounting.port),
                        name=accounting.database_name,
                        secret_arn=accounting.secret_arn,
                    )
                    if accounting is not None
                    else None
                ),
            )
        )

    def _group(self, group: ComputeGroup) -> _CFN.ClusterInstanceGroupProperty:
        entry = ENTRY[self.cluster.slurm.configuration]
        return self._instance_group(
            group,
            role=self._roles.by_group[group.name],
            override_vpc_config=self._controller_network(group),
            life_cycle_config=_CFN.ClusterLifeCycleConfigProperty(
                source_s3_uri=self._source_s3_uri,
                on_create=None if self._managed else entry,
                on_init_complete=entry if self._managed else None,
            ),
            instance_storage_configs=self._storage(group),
            slurm_config=self._slurm(group) if self._managed else None,
        )

    def _controller_network(self, group: ComputeGroup) -> _CFN.VpcConfigProperty | None:
        """The controller has an additional security group, which opens the database to it."""
        attachments = self._base.attachments
        if group.role != "controller" or not attachments.controller_security_group_ids:
            return None
        return _CFN.VpcConfigProperty(
            security_group_ids=[
                *attachments.node_security_group_ids,
                *attachments.controller_security_group_ids,
            ],
            subnets=list(attachments.node_subnet_ids),
        )

    def _slurm(self, group: ComputeGroup) -> _CFN.ClusterSlurmConfigProperty:
        partitions = [p.name for p in self.cluster.slurm.partitions if group.name in p.groups]
        return _CFN.ClusterSlurmConfigProperty(
            node_type=NODE_TYPES[group.role], partition_names=partitions or None
        )

    def _storage(
        self, group: ComputeGroup
    ) -> list[_CFN.ClusterInstanceStorageConfigProperty] | None:
        """At most four entries: volumes first, then home, then Lustre in the spec's order.

        The node program mounts the others, as cluster.json says. In scripted mode it mounts all
        file systems.
        """
        found = instance_groups.volumes(self.cluster, group, key_arn=self._base.identity.key_arn)
        if self._managed:
            found += self._file_systems()
        return found or None

    def _file_systems(self) -> list[_CFN.ClusterInstanceStorageConfigProperty]:
        entry = _CFN.ClusterInstanceStorageConfigProperty
        found = []
        if self._base.home is not None:
            found.append(
                entry(
                    fsx_open_zfs_config=_CFN.ClusterFsxOpenZfsConfigProperty(
                        dns_name=self._base.home.dns_name,
                        mount_path=self._base.home.mount_path,
                    )
                )
            )
        for file_system in self._base.lustre[: lustre_mounted_by_hyperpod(self.cluster)]:
            found.append(
                entry(
                    fsx_lustre_config=_CFN.ClusterFsxLustreConfigProperty(
                        dns_name=file_system.dns_name,
                        mount_name=file_system.mount_name,
                        mount_path=file_system.mount_path,
                    )
                )
            )
        return found


def _number(port: str | int) -> int | float:
    return cdk.Token.as_number(port) if isinstance(port, str) else port
