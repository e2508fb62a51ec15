"""The cluster itself on SageMaker HyperPod with Slurm."""

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
from clusterwright.platforms.hyperpod.instance_groups import lustre_mounted_by_hyperpod, ml_name
from stacks.base.acknowledge import ignore_lint_everywhere
from stacks.base.cluster_stack import ClusterStack
from stacks.base.outdated_validators import acknowledge_dated_types
from stacks.hyperpod import instance_groups as hyperpod_groups
from stacks.hyperpod.log_retention import node_log_retention
from stacks.hyperpod.network_permissions import acknowledge_network_rights, network_statements
from stacks.lifecycle import scripts
from stacks.network.network_stack import Attachments
from stacks.slurm.accounting_stack import AccountingDatabase
from stacks.storage.home import HomeMount
from stacks.storage.lustre import LustreMount, lustre_outputs

_CFN = sagemaker.CfnCluster

NODE_TYPES = {"controller": "Controller", "login": "Login", "compute": "Compute"}


@dataclass(frozen=True)
class ClusterInputs:
    """What the cluster needs of the other stacks."""

    attachments: Attachments
    role: iam.IRole
    key_arn: str
    source_s3_uri: str
    munge_key_secret_arn: str | None
    lustre: Sequence[LustreMount]
    home: HomeMount | None
    accounting: AccountingDatabase | None
    log_keeper_arn: str
    prometheus_workspace_arn: str | None


class HyperPodSlurmStack(ClusterStack):
    """Instance groups, and the rights that only now have an id to be granted on."""

    NAME_SUFFIX = "cluster"

    def __init__(
        self, scope: Construct, cluster: Cluster, catalog: Catalog, inputs: ClusterInputs
    ) -> None:
        super().__init__(scope, cluster, description="SageMaker HyperPod with Slurm")
        self._catalog, self._inputs = catalog, inputs
        self._managed = cluster.slurm.configuration == "managed"
        rights = self._rights()
        self._continuous = cluster.resilience.node_provisioning == "continuous"
        self.resource = _CFN(
            self,
            "Cluster",
            cluster_name=cluster.environment,
            instance_groups=[self._group(group) for group in cluster.compute],
            node_provisioning_mode="Continuous" if self._continuous else None,
            node_recovery=cluster.resilience.node_recovery.capitalize(),
            orchestrator=self._orchestrator(),
            vpc_config=_CFN.VpcConfigProperty(
                security_group_ids=list(inputs.attachments.node_security_group_ids),
                subnets=list(inputs.attachments.node_subnet_ids),
            ),
        )
        self.resource.node.add_dependency(rights)
        self._cluster_id = cdk.Fn.select(1, cdk.Fn.split("/", self.resource.attr_cluster_arn))
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
        """Rights on subnets, security groups and secrets, whose ids come from other stacks."""
        cluster = self.cluster
        statements = network_statements(cluster, self._inputs.attachments)
        if self._inputs.accounting is not None and cluster.slurm.accounting.existing is None:
            statements.append(
                iam.PolicyStatement(
                    sid="AccountingSecret",
                    actions=["secretsmanager:DescribeSecret", "secretsmanager:GetSecretValue"],
                    resources=[self._inputs.accounting.secret_arn],
                )
            )
        if self._inputs.prometheus_workspace_arn is not None:
            statements.append(
                iam.PolicyStatement(
                    sid="Metrics",
                    actions=["aps:RemoteWrite"],
                    resources=[self._inputs.prometheus_workspace_arn],
                )
            )
        if self._inputs.munge_key_secret_arn is not None:
            statements.append(
                iam.PolicyStatement(
                    sid="MungeKey",
                    actions=["secretsmanager:GetSecretValue"],
                    resources=[self._inputs.munge_key_secret_arn],
                )
            )
        if not self._managed and cluster.slurm.topology != "none":
            statements.append(
                iam.PolicyStatement(
                    sid="Topology",
                    actions=["ec2:DescribeInstanceTopology"],
                    resources=["*"],
                )
            )
        policy = iam.Policy(self, "NodeRights", statements=statements, roles=[self._inputs.role])
        acknowledge_network_rights(policy, cluster)
        return policy

    def _orchestrator(self) -> _CFN.OrchestratorProperty | None:
        if not self._managed:
            return None
        accounting = self._inputs.accounting
        slurm, continuous = self.cluster.slurm, self._continuous
        return _CFN.OrchestratorProperty(
            slurm=_CFN.ClusterOrchestratorSlurmConfigProperty(
                # With continuous provisioning HyperPod refuses any strategy.
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
        cluster, image = self.cluster, self.cluster.image
        entry = scripts.ENTRY[cluster.slurm.configuration]
        capacity = group.capacity
        return _CFN.ClusterInstanceGroupProperty(
            instance_group_name=group.name,
            instance_type=ml_name(group.instance_type),
            instance_count=group.count,
            min_instance_count=group.min_count,
            execution_role=self._inputs.role.role_arn,
            threads_per_core=group.threads_per_core,
            life_cycle_config=_CFN.ClusterLifeCycleConfigProperty(
                source_s3_uri=self._inputs.source_s3_uri,
                on_create=None if self._managed else entry,
                on_init_complete=entry if self._managed else None,
            ),
            instance_storage_configs=self._storage(group),
            slurm_config=self._slurm(group) if self._managed else None,
            capacity_requirements=hyperpod_groups.capacity_requirements(capacity.kind),
            training_plan_arn=capacity.arn if capacity.kind == "training-plan" else None,
            network_interface=hyperpod_groups.network_interface(group),
            on_start_deep_health_checks=hyperpod_groups.health_checks(
                self.cluster, group, self._catalog
            ),
            image_id=image.image_id,
            # AWS's sources disagree on whether Slurm takes it: CW-I006 warns.
            image_release_version=image.release_version,
            auto_patch_config=hyperpod_groups.auto_patch(image),
        )

    def _slurm(self, group: ComputeGroup) -> _CFN.ClusterSlurmConfigProperty:
        partitions = [p.name for p in self.cluster.slurm.partitions if group.name in p.groups]
        return _CFN.ClusterSlurmConfigProperty(
            node_type=NODE_TYPES[group.role], partition_names=partitions or None
        )

    def _health_checks(self, group: ComputeGroup) -> list[str] | None:
        return hyperpod_groups.health_checks(self.cluster, group, self._catalog)

    def _storage(
        self, group: ComputeGroup
    ) -> list[_CFN.ClusterInstanceStorageConfigProperty] | None:
        """At most four entries: volumes first, then home, then Lustre in the spec's order.

        Those that have no room are the node program's to mount, as cluster.json tells it. In
        scripted mode it mounts them all.
        """
        found = hyperpod_groups.volumes(self.cluster, group, key_arn=self._inputs.key_arn)
        if self._managed:
            found += self._file_systems()
        return found or None

    def _file_systems(self) -> list[_CFN.ClusterInstanceStorageConfigProperty]:
        entry = _CFN.ClusterInstanceStorageConfigProperty
        found = []
        if self._inputs.home is not None:
            found.append(
                entry(
                    fsx_open_zfs_config=_CFN.ClusterFsxOpenZfsConfigProperty(
                        dns_name=self._inputs.home.dns_name,
                        mount_path=self._inputs.home.mount_path,
                    )
                )
            )
        for file_system in self._inputs.lustre[: lustre_mounted_by_hyperpod(self.cluster)]:
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

    def _outputs(self) -> None:
        cluster, region = self.cluster, self.cluster.region
        arn = self.resource.attr_cluster_arn
        doors = [
            g.name for role in ("login", "controller") for g in cluster.compute if g.role == role
        ]
        outputs = {
            "ClusterName": cluster.environment,
            "ClusterArn": arn,
            "VpcId": self._inputs.attachments.vpc_id,
            "ListNodesCommand": (
                f"aws sagemaker list-cluster-nodes --cluster-name {cluster.environment} "
                f"--region {region}"
            ),
        }
        if cluster.identity.session_manager:
            outputs["SsmLoginCommand"] = (
                f"aws ssm start-session --target sagemaker-cluster:{self._cluster_id}_{doors[0]}-"
                f"<instance-id> --region {region}"
            )
        outputs |= lustre_outputs(self._inputs.lustre)
        for name, value in outputs.items():
            cdk.CfnOutput(self, name, value=value)


def _number(port: str | int) -> int | float:
    return cdk.Token.as_number(port) if isinstance(port, str) else port
