"""The base class of stacks with scripts for nodes: a bucket and the upload into it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_s3_deployment as deployment

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.derived_names import REQUESTS_FOLDER, STATE_FOLDER
from stacks.base import names
from stacks.base.acknowledge import acknowledge, ignore_lint
from stacks.base.cluster_stack import ClusterStack
from stacks.base.log_groups import log_group
from stacks.base.service_principals import LAMBDA, for_this_account
from stacks.storage.bucket_emptying import log_what_empties

_ANSWERS_DAYS = 7
COPY_MEMORY_MIB = 512
"""The function runs `aws s3 sync`, which is slow with Lambda's default of 128 MiB."""


class ScriptsStack(ClusterStack):
    """Not stateful: the bucket's contents can be restored from the repository."""

    NAME_SUFFIX = "lifecycle"
    bucket: s3.Bucket
    prefix: str
    """The prefix of the scripts in the bucket, new for every change."""

    copy_memory_mib = COPY_MEMORY_MIB
    copying_role: iam.Role
    copying_log_group: logs.ILogGroup

    def scripts_bucket(self) -> s3.Bucket:
        bucket = s3.Bucket(
            self,
            "Scripts",
            bucket_name=names.lifecycle_bucket(self.cluster),
            # S3's managed key: the contents are public scripts and a reviewed file without
            # secrets, and nodes can download them before anything else works.
            encryption=s3.BucketEncryption.S3_MANAGED,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            enforce_ssl=True,
            auto_delete_objects=True,
            removal_policy=cdk.RemovalPolicy.DESTROY,
            lifecycle_rules=list(_expiring(self.cluster)),
        )
        log_what_empties(self, self.cluster)
        acknowledge(
            bucket,
            "AwsSolutions-S1",
            "the bucket has scripts that are also in Git; downloads need no audit",
        )
        return bucket

    def copy_scripts(self, sources: Sequence[deployment.ISource]) -> None:
        group = log_group(
            self,
            "CopyingLogs",
            name=f"/clusterwright/{self.cluster.environment}/lifecycle/copying",
            days=self.cluster.observability.log_retention_days,
            key_arn=None,
        )
        role = iam.Role(
            self,
            "CopyingRole",
            description=f"{self.cluster.environment}: copies the lifecycle scripts",
            assumed_by=for_this_account(self.cluster, LAMBDA),
            inline_policies={
                "Logs": iam.PolicyDocument(
                    statements=[
                        iam.PolicyStatement(
                            actions=["logs:CreateLogStream", "logs:PutLogEvents"],
                            resources=[group.attr_arn],
                        )
                    ]
                )
            },
        )
        self.copying_role = role
        self.copying_log_group = logs.LogGroup.from_log_group_name(self, "CopyingGroup", group.ref)
        self.copy = self.copy_of("Copy", self.prefix, sources)
        self._acknowledge(role)

    def copy_of(
        self, construct_id: str, prefix: str, sources: Sequence[deployment.ISource]
    ) -> deployment.BucketDeployment:
        """Upload files under a prefix; all uploads of the stack share one function."""
        return deployment.BucketDeployment(
            self,
            construct_id,
            destination_bucket=self.bucket,
            destination_key_prefix=prefix,
            sources=list(sources),
            # Keep the previous version of the scripts: a rollback of the cluster needs it.
            retain_on_delete=True,
            prune=False,
            memory_limit=COPY_MEMORY_MIB,
            role=self.copying_role,
            log_group=self.copying_log_group,
        )

    def _acknowledge(self, role: iam.Role) -> None:
        cluster = self.cluster
        assets = (
            f"cdk-{self.synthesizer.bootstrap_qualifier}-assets-{cluster.account}-{cluster.region}"
        )
        scripts_arn = f"<{self.get_logical_id(self.bucket.node.default_child)}.Arn>"
        for pattern in (
            "Action::s3:Abort*",
            "Action::s3:DeleteObject*",
            "Action::s3:GetBucket*",
            "Action::s3:GetObject*",
            "Action::s3:List*",
            f"Resource::arn:{cluster.partition}:s3:::{assets}/*",
            f"Resource::{scripts_arn}/*",
        ):
            acknowledge(
                role,
                f"AwsSolutions-IAM5[{pattern}]",
                "the CDK's BucketDeployment reads assets in the bootstrap bucket and writes here",
            )
        acknowledge(
            self,
            "AwsSolutions-L1",
            "the CDK chooses the runtime of its BucketDeployment function",
        )
        for child in self.node.find_all():
            if isinstance(child, lambda_.CfnFunction):
                ignore_lint(child, "W3005", "the CDK names its role twice, which has no effect")


def _expiring(cluster: Cluster) -> Iterator[s3.LifecycleRule]:
    """Requests of operators and the controller's answers; Slurm's controller handles a request
    within a minute, and none is valid for more than an hour.
    """
    if not cluster.uses_slurm:
        return
    for prefix in (f"{REQUESTS_FOLDER}/", f"{STATE_FOLDER}/answers/"):
        yield s3.LifecycleRule(prefix=prefix, expiration=cdk.Duration.days(_ANSWERS_DAYS))
