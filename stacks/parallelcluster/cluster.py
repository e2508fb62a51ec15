"""The cluster on AWS ParallelCluster: AWS's provider as a nested stack, and one custom resource.

The provider runs ParallelCluster in a Lambda function, which creates the cluster in another stack
with the name of the environment.
https://docs.aws.amazon.com/parallelcluster/latest/ug/cloudformation-v3.html
"""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2

from clusterwright.platforms.parallelcluster.document import render
from clusterwright.platforms.parallelcluster.outputs import as_outputs
from clusterwright.platforms.parallelcluster.queues import takes_placement_group
from clusterwright.platforms.parallelcluster.supplied import Database, Scripts, Supplied
from stacks.base.acknowledge import ignore_lint_everywhere
from stacks.base.cluster_stack import ClusterStack
from stacks.foundation import Foundation
from stacks.lifecycle.lifecycle_stack import LifecycleStack
from stacks.observability.observability_stack import ObservabilityStack
from stacks.parallelcluster import latest_scripts as located
from stacks.parallelcluster.permissions import node_policy, provider_policy
from stacks.slurm.accounting_stack import ADMIN_NAME
from stacks.storage.lustre import lustre_outputs

TEMPLATE = (
    "https://${AWS::Region}-aws-parallelcluster.s3.${AWS::Region}.${AWS::URLSuffix}/"
    "parallelcluster/{version}/templates/custom_resource/cluster.yaml"
)


class ParallelClusterStack(ClusterStack):
    """Placement groups, the provider, and the cluster.

    The cluster is deleted with its stack, whatever `protection` is: resources that `protection`
    retains are in the other stacks.
    """

    NAME_SUFFIX = "cluster"

    def __init__(
        self, base: Foundation, lifecycle: LifecycleStack, observability: ObservabilityStack
    ) -> None:
        cluster = base.cluster
        super().__init__(base.scope, cluster, description="AWS ParallelCluster")
        self._base, self._lifecycle = base, lifecycle
        self._groups = self._placement_groups()
        policy = node_policy(
            self,
            cluster,
            key_arn=base.identity.key_arn,
            prometheus_workspace_arn=observability.prometheus_workspace_arn,
        )
        provider = self._provider()
        self._said = self._supplied(policy.managed_policy_arn)
        custom = cdk.CustomResource(
            self,
            "Cluster",
            resource_type="Custom::PclusterCluster",
            service_token=provider.get_att("Outputs.ServiceToken").to_string(),
            properties={
                "ClusterName": cluster.environment,
                "ClusterConfiguration": render(cluster, base.catalog, self._said),
                "DeletionPolicy": "Delete",
            },
        )
        self._cluster = custom
        resource = custom.node.default_child
        assert isinstance(resource, cdk.CfnResource)
        self.resource = resource
        ignore_lint_everywhere(
            self, "W6001", "the outputs of a deployment are together, also those of other stacks"
        )
        self._outputs()

    def _placement_groups(self) -> dict[str, ec2.CfnPlacementGroup]:
        return {
            group.name: ec2.CfnPlacementGroup(
                self, f"PlacementGroup-{group.name}", strategy="cluster"
            )
            for group in self.cluster.compute
            if takes_placement_group(group, self._base.catalog)
        }

    def _provider(self) -> cdk.CfnStack:
        accounting = self._base.database
        policy = provider_policy(
            self,
            self.cluster,
            password_secret_arn=accounting.secret_arn if accounting is not None else None,
        )
        version = self.cluster.parallelcluster.version
        return cdk.CfnStack(
            self,
            "Provider",
            template_url=cdk.Fn.sub(TEMPLATE.replace("{version}", version)),
            parameters={"AdditionalIamPolicies": policy.managed_policy_arn},
        )

    def _supplied(self, policy_arn: str) -> Supplied:
        cluster, base, lifecycle = self.cluster, self._base, self._lifecycle
        subnet_id = base.attachments.node_subnet_ids[0]
        digest = lifecycle.manifest_sha256
        assert digest is not None, "the scripts of ParallelCluster have a manifest"
        return Supplied(
            head_subnet_id=subnet_id,
            login_subnet_id=subnet_id,
            compute_subnet_id=subnet_id,
            # ParallelCluster's own groups allow all egress; these allow only other nodes, the file
            # systems, and AWS.
            security_group_ids=tuple(base.attachments.node_security_group_ids),
            head_security_group_ids=tuple(base.attachments.controller_security_group_ids),
            scripts_s3_uri=located.scripts_s3_uri(cluster, lifecycle.prefix),
            scripts_bucket=lifecycle.bucket.bucket_name,
            manifest_sha256=digest,
            entry_s3_uri=located.entry_s3_uri(cluster),
            latest_s3_uri=located.latest_s3_uri(cluster),
            queue_scripts={
                name: Scripts(located.scripts_s3_uri(cluster, of.prefix), of.manifest_sha256)
                for name, of in lifecycle.queues.items()
            },
            policy_arns=(policy_arn,),
            lustre_ids={fs.name: fs.file_system_id for fs in base.lustre},
            home_volume_id=base.home.volume_id if base.home is not None else None,
            placement_group_names={name: group.ref for name, group in self._groups.items()},
            database=self._database(),
        )

    def _database(self) -> Database | None:
        accounting = self._base.database
        if accounting is None or self.cluster.slurm.accounting.existing is not None:
            return None
        return Database(
            host=accounting.endpoint,
            port=str(accounting.port),
            user_name=ADMIN_NAME,
            password_secret_arn=accounting.secret_arn,
            name=accounting.database_name,
        )

    def _outputs(self) -> None:
        cluster, region = self.cluster, self.cluster.region
        running = (
            f"--filters Name=tag:parallelcluster:cluster-name,Values={cluster.environment} "
            "Name=instance-state-name,Values=running"
        )
        outputs = {
            "ClusterName": cluster.environment,
            # Clusters of ParallelCluster have no ARN.
            "ClusterStackArn": self._cluster.get_att_string("cloudformationStackArn"),
            "VpcId": self._base.attachments.vpc_id,
            "HeadNodeId": self._cluster.get_att_string("headNode.instanceId"),
            "HeadNodeAddress": self._cluster.get_att_string("headNode.privateIpAddress"),
            "ListNodesCommand": f"aws ec2 describe-instances {running} --region {region}",
            "ValidationMessages": self._cluster.get_att_string("validationMessages"),
        }
        if cluster.identity.session_manager:
            outputs["SsmLoginCommand"] = (
                f"aws ssm start-session --target <instance-id> --region {region}"
            )
        outputs |= lustre_outputs(self._base.lustre)
        # What `clusterwright render parallelcluster --outputs` reads.
        outputs |= as_outputs(self._said)
        for name, value in outputs.items():
            cdk.CfnOutput(self, name, value=value)
