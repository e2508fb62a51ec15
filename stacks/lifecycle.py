"""The lifecycle scripts in S3, under a prefix that is the digest of their contents.

HyperPod fetches the prefix when it makes or replaces a node. A new prefix for every change means
that a node never gets half of a change, that the change is visible in the cluster's template, and
that a rollback finds the old scripts where they were.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_s3_deployment as deployment
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from clusterwright.catalog import Catalog
from clusterwright.spec.models.cluster import Cluster
from stacks import names, node_files, scripts
from stacks.accounting import AccountingDatabase
from stacks.acknowledge import acknowledge, ignore_lint
from stacks.emptying import log_what_empties
from stacks.home import HomeMount
from stacks.log_groups import log_group
from stacks.lustre import LustreMount
from stacks.part import Part

COPY_MEMORY_MIB = 512
"""The copying function runs `aws s3 sync`; with Lambda's 128 MiB it is slow."""


MUNGE_KEY_LENGTH = 128
"""Letters and digits: some 760 bits; munge takes 32 to 1,024 bytes (munged(8), --key-file)."""


class Lifecycle(Part):
    """The bucket and what is in it. Everything in it can be made again from the repository."""

    PART = "lifecycle"

    def __init__(
        self,
        scope: Construct,
        cluster: Cluster,
        catalog: Catalog,
        *,
        lustre: Sequence[LustreMount],
        home: HomeMount | None,
        accounting: AccountingDatabase | None,
        key_arn: str,
        prometheus_workspace_id: str | None = None,
    ) -> None:
        super().__init__(scope, cluster, description="lifecycle scripts and what they read")
        cluster_file = node_files.cluster_json(cluster, catalog)
        own = scripts.site_files(cluster.lifecycle.steps)
        digest = scripts.scripts_digest({"cluster.json": cluster_file}, texts=own)
        self.prefix = f"lifecycle/{digest}"
        self.bucket = self._bucket()
        scripted = cluster.slurm.configuration == "scripted"
        self.munge_key_secret_arn = self._munge_key(key_arn) if scripted else None
        sources = [
            deployment.Source.asset(
                str(scripts.FOLDER),
                exclude=list(scripts.EXCLUDED),
                ignore_mode=cdk.IgnoreMode.GLOB,
            ),
            *(deployment.Source.data(name, text) for name, text in own.items()),
            _json_file("cluster.json", cluster_file),
            _json_file(
                "deployment.json",
                node_files.deployment_json(
                    lustre,
                    home,
                    accounting,
                    self.munge_key_secret_arn,
                    prometheus_workspace_id,
                ),
            ),
        ]
        if scripted:
            sources.append(
                _json_file(
                    "provisioning_parameters.json",
                    node_files.provisioning_parameters(cluster, lustre, home),
                )
            )
        self._copy(sources)
        self.source_s3_uri = f"s3://{self.bucket.bucket_name}/{self.prefix}/"

    def _bucket(self) -> s3.Bucket:
        bucket = s3.Bucket(
            self,
            "Scripts",
            bucket_name=names.lifecycle_bucket(self.cluster),
            # S3's own key: the contents are public scripts and a reviewed file without
            # secrets, and nodes can fetch them before anything else works.
            encryption=s3.BucketEncryption.S3_MANAGED,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            enforce_ssl=True,
            auto_delete_objects=True,
            removal_policy=cdk.RemovalPolicy.DESTROY,
        )
        log_what_empties(self, self.cluster)
        acknowledge(
            bucket,
            "AwsSolutions-S1",
            "the bucket holds scripts that are in Git; who fetched them is of no interest",
        )
        return bucket

    def _munge_key(self, key_arn: str) -> str:
        """A key at random for this cluster alone; whoever has it may act as any of its users."""
        secret = secretsmanager.CfnSecret(
            self,
            "MungeKey",
            name=f"{self.cluster.environment}/munge-key",
            description=f"{self.cluster.environment}: munge key, with which Slurm signs",
            kms_key_id=key_arn,
            generate_secret_string=secretsmanager.CfnSecret.GenerateSecretStringProperty(
                password_length=MUNGE_KEY_LENGTH, exclude_punctuation=True
            ),
        )
        acknowledge(
            secret,
            "AwsSolutions-SMG4",
            "a key that changes while nodes run parts those with the new one from the others: "
            "docs/reference/node-files.md says how to change it",
        )
        return secret.ref

    def _copy(self, sources: Sequence[deployment.ISource]) -> None:
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
            assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"),
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
        self.copy = deployment.BucketDeployment(
            self,
            "Copy",
            destination_bucket=self.bucket,
            destination_key_prefix=self.prefix,
            sources=list(sources),
            # The scripts of the version before stay: a rollback of the cluster needs them.
            retain_on_delete=True,
            prune=False,
            memory_limit=COPY_MEMORY_MIB,
            role=role,
            log_group=logs.LogGroup.from_log_group_name(self, "CopyingGroup", group.ref),
        )
        self._acknowledge(role)

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
            "the CDK chooses the runtime of its own BucketDeployment function",
        )
        for child in self.node.find_all():
            if isinstance(child, lambda_.CfnFunction):
                ignore_lint(child, "W3005", "the CDK names its role twice; it does no harm")


def _json_file(name: str, value: Mapping[str, Any]) -> deployment.ISource:
    """A JSON file whose tokens CloudFormation fills in: names and ARNs, nothing to escape.

    The CDK's own `json_data` drops every key whose value is null, and the files' reader is strict.
    """
    return deployment.Source.data(name, json.dumps(value, indent=2, ensure_ascii=False) + "\n")
