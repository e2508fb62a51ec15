"""The cluster on AWS PCS: controller, compute node groups, queues."""

from __future__ import annotations

from collections.abc import Mapping

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_pcs as pcs
from constructs import Construct

from clusterwright import files
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.platforms.parallelcluster.queues import takes_placement_group
from clusterwright.platforms.pcs import groups, settings
from clusterwright.platforms.pcs.sizes import size_of
from stacks.base.acknowledge import ignore_lint_everywhere
from stacks.base.cluster_stack import ClusterStack
from stacks.base.tags import tags_of
from stacks.foundation import Foundation
from stacks.lifecycle import scripts
from stacks.lifecycle.lifecycle_stack import LifecycleStack
from stacks.observability.observability_stack import ObservabilityStack
from stacks.pcs.launch_template import launch_template
from stacks.pcs.node_roles import NodeRoles
from stacks.storage.lustre import lustre_outputs

_GROUP = pcs.CfnComputeNodeGroup

ACTION = "clusterwright"
"""Name of the lifecycle action of every group."""


class PcsStack(ClusterStack):
    """Controller, roles, launch templates, groups and queues.

    The cluster is deleted with its stack, whatever `protection` is: resources that `protection`
    retains are in the other stacks. Managed accounting is lost with it.
    """

    NAME_SUFFIX = "cluster"

    def __init__(
        self, base: Foundation, lifecycle: LifecycleStack, observability: ObservabilityStack
    ) -> None:
        super().__init__(base.scope, base.cluster, description="AWS PCS")
        self._base, self._lifecycle = base, lifecycle
        entry = base.cluster.traits.entry_script
        self._entry, self._digest = entry, scripts.sha256(files.read_text(scripts.FOLDER / entry))
        self._tags = tags_of(base.cluster)
        self._roles = NodeRoles(self, base, observability)
        self.resource = self._controller()
        self._groups = {group.name: self._group(group) for group in base.cluster.compute}
        for index, partition in enumerate(base.cluster.slurm.partitions):
            pcs.CfnQueue(
                self,
                f"Queue-{partition.name}",
                cluster_id=self.resource.attr_id,
                name=partition.name,
                compute_node_group_configurations=[
                    pcs.CfnQueue.ComputeNodeGroupConfigurationProperty(
                        compute_node_group_id=self._groups[name].attr_id
                    )
                    for name in partition.groups
                ],
                slurm_configuration=pcs.CfnQueue.SlurmConfigurationProperty(
                    slurm_custom_settings=[
                        pcs.CfnQueue.SlurmCustomSettingProperty(
                            parameter_name=name, parameter_value=value
                        )
                        for name, value in settings.queue_settings(
                            partition, default=index == 0
                        ).items()
                    ]
                ),
                tags=self._tags,
            )
        ignore_lint_everywhere(
            self, "W6001", "the outputs of a deployment are together, also those of other stacks"
        )
        self._outputs()

    def _controller(self) -> pcs.CfnCluster:
        cluster, kind = self.cluster, pcs.CfnCluster
        own, managed = cluster.pcs, cluster.slurm.accounting.kind == "managed"
        purge = own.accounting_purge_days
        return kind(
            self,
            "Cluster",
            name=cluster.environment,
            size=size_of(cluster),
            scheduler=kind.SchedulerProperty(type="SLURM", version=own.slurm_version),
            networking=kind.NetworkingProperty(
                subnet_ids=[self._base.attachments.node_subnet_ids[0]],
                security_group_ids=list(self._base.attachments.node_security_group_ids),
            ),
            slurm_configuration=kind.SlurmConfigurationProperty(
                accounting=kind.AccountingProperty(
                    mode="STANDARD" if managed else "NONE",
                    default_purge_time_in_days=purge if managed else None,
                ),
                scale_down_idle_time_in_seconds=own.scaledown_idle_seconds,
                slurm_rest=kind.SlurmRestProperty(mode="STANDARD" if own.rest_api else "NONE"),
                slurm_custom_settings=[
                    kind.SlurmCustomSettingProperty(parameter_name=name, parameter_value=value)
                    for name, value in settings.cluster_settings(
                        cluster, self._base.catalog
                    ).items()
                ],
                slurmdbd_custom_settings=[
                    kind.SlurmdbdCustomSettingProperty(parameter_name=name, parameter_value=value)
                    for name, value in (own.slurmdbd_settings or {}).items()
                ]
                or None,
                cgroup_custom_settings=[
                    kind.CgroupCustomSettingProperty(parameter_name=name, parameter_value=value)
                    for name, value in (own.cgroup_settings or {}).items()
                ]
                or None,
            ),
            tags=self._tags,
        )

    def _group(self, group: ComputeGroup) -> pcs.CfnComputeNodeGroup:
        # Names may differ in hyphens or case only, which logical ids do not show.
        scope = Construct(self, group.name)
        catalog, attachments = self._base.catalog, self._base.attachments
        placement = None
        if takes_placement_group(group, catalog):
            placement = ec2.CfnPlacementGroup(scope, "Placement", strategy="cluster").ref
        template = launch_template(
            scope,
            self.cluster,
            group,
            catalog,
            security_group_ids=attachments.node_security_group_ids,
            placement_group_name=placement,
        )
        counts = groups.counts(group)
        return _GROUP(
            scope,
            "Nodes",
            cluster_id=self.resource.attr_id,
            name=group.name,
            ami_id=self._image(group),
            custom_launch_template=_GROUP.CustomLaunchTemplateProperty(
                template_id=template.ref, version=template.attr_latest_version_number
            ),
            iam_instance_profile_arn=self._roles.profile_of(group).attr_arn,
            instance_configs=[_GROUP.InstanceConfigProperty(instance_type=group.instance_type)],
            node_lifecycle_actions=self._actions(group),
            purchase_option=groups.purchase_option(group),
            scaling_configuration=_GROUP.ScalingConfigurationProperty(
                min_instance_count=counts.minimum, max_instance_count=counts.maximum
            ),
            slurm_configuration=self._slurm(group),
            subnet_ids=list(attachments.node_subnet_ids),
            tags=self._tags,
        )

    def _image(self, group: ComputeGroup) -> str:
        """The spec's image, or PCS's newest one when the stack is deployed."""
        own = self.cluster.image.image_id
        if own is not None:
            return own
        parameter = groups.image_parameter(group, self._base.catalog)
        assert parameter is not None, "the validation refuses types of unknown architecture"
        return f"{{{{resolve:ssm:{parameter}}}}}"

    def _actions(self, group: ComputeGroup) -> _GROUP.NodeLifecycleActionsProperty:
        """Run the node program before slurmd, and terminate an instance on which it fails.

        The checksum of the entry script is in the template; it verifies the other scripts with
        the digest of their manifest. A reboot runs it again.
        """
        prefix, digest = self._scripts_of(group)
        uri = f"s3://{self._lifecycle.bucket.bucket_name}/{prefix}"
        script = _GROUP.NodeLifecycleScriptProperty(
            name=ACTION,
            script_source=_GROUP.ScriptSourceProperty(
                script_location=f"{uri}/{self._entry}", checksum=self._digest
            ),
            arguments=[f"{uri}/", digest, group.name],
            on_error="TERMINATE",
            execution_policy="EVERY_BOOT",
        )
        return _GROUP.NodeLifecycleActionsProperty(
            stages=_GROUP.NodeLifecycleStagesProperty(node_bootstrapped=[script]),
            script_caching_policy="CACHE_ONCE",
        )

    def _scripts_of(self, group: ComputeGroup) -> tuple[str, str]:
        lifecycle = self._lifecycle
        for partition in self.cluster.slurm.partitions:
            if group.name in partition.groups:
                return lifecycle.queues[partition.name]
        assert lifecycle.manifest_sha256 is not None, "the scripts of PCS have a manifest"
        return lifecycle.prefix, lifecycle.manifest_sha256

    def _slurm(self, group: ComputeGroup) -> _GROUP.SlurmConfigurationProperty | None:
        catalog = self._base.catalog
        found = settings.group_settings(group, catalog)
        if not found:
            return None
        records: list[Mapping[str, str]] = [*settings.gres_records(self.cluster, group, catalog)]
        return _GROUP.SlurmConfigurationProperty(
            slurm_custom_settings=[
                _GROUP.SlurmCustomSettingProperty(parameter_name=name, parameter_value=value)
                for name, value in found.items()
            ],
            gres_custom_settings=records,
        )

    def _outputs(self) -> None:
        cluster, region = self.cluster, self.cluster.region
        running = (
            f"--filters Name=tag:{groups.CLUSTER_TAG},Values={self.resource.attr_id} "
            "Name=instance-state-name,Values=running"
        )
        outputs = {
            "ClusterName": cluster.environment,
            "ClusterId": self.resource.attr_id,
            "ClusterArn": self.resource.attr_arn,
            "VpcId": self._base.attachments.vpc_id,
            "SlurmVersion": cluster.pcs.slurm_version,
            "ListNodesCommand": f"aws ec2 describe-instances {running} --region {region}",
        }
        if cluster.identity.session_manager:
            outputs["SsmLoginCommand"] = (
                f"aws ssm start-session --target <instance-id> --region {region}"
            )
        outputs |= lustre_outputs(self._base.lustre)
        if self._base.home is not None:
            outputs["HomeDnsName"] = self._base.home.dns_name
        for name, value in outputs.items():
            cdk.CfnOutput(self, name, value=value)
