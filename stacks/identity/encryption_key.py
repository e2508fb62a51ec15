"""The customer managed key that encrypts all stored data of the cluster."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.alerting import has_alert_rules
from stacks.base.cluster_stack import removal_policy

DELETION_WINDOW_DAYS = 7
"""The minimum of KMS: `protection: destroy` is for data that need not be restored."""


class EncryptionKey(Construct):
    """The key, its rotation, and the services that may use it."""

    def __init__(self, scope: Construct, construct_id: str, cluster: Cluster) -> None:
        super().__init__(scope, construct_id)
        key = kms.CfnKey(
            self,
            "Resource",
            description=f"{cluster.environment}: file systems, buckets, database, logs",
            enable_key_rotation=True,
            pending_window_in_days=(
                DELETION_WINDOW_DAYS if cluster.protection == "destroy" else None
            ),
            key_policy=iam.PolicyDocument(statements=_statements(cluster)),
        )
        key.apply_removal_policy(removal_policy(cluster))
        kms.CfnAlias(
            self,
            "Alias",
            alias_name=f"alias/{cluster.environment}",
            target_key_id=key.attr_arn,
        )
        self.arn = key.attr_arn


def _statements(cluster: Cluster) -> list[iam.PolicyStatement]:
    account = {"StringEquals": {"aws:SourceAccount": cluster.account}}
    return [
        *_node_volumes(cluster),
        # Without it the key could never be changed again; it enables IAM policies.
        iam.PolicyStatement(
            sid="AccountAdministers",
            principals=[iam.AccountRootPrincipal()],
            actions=["kms:*"],
            resources=["*"],
        ),
        # CloudWatch Logs uses the key itself; the encryption context has the log group.
        iam.PolicyStatement(
            sid="LogGroups",
            principals=[iam.ServicePrincipal(f"logs.{cluster.region}.amazonaws.com")],
            actions=["kms:Encrypt", "kms:Decrypt", "kms:GenerateDataKey*", "kms:DescribeKey"],
            resources=["*"],
            conditions={
                "ArnLike": {
                    "kms:EncryptionContext:aws:logs:arn": (
                        f"arn:{cluster.partition}:logs:{cluster.region}:{cluster.account}:*"
                    )
                }
            },
        ),
        # Alarms go to an encrypted topic; CloudWatch needs the key to write to it.
        iam.PolicyStatement(
            sid="AlarmTopic",
            principals=[iam.ServicePrincipal("cloudwatch.amazonaws.com")],
            actions=["kms:Decrypt", "kms:GenerateDataKey*"],
            resources=["*"],
            conditions=account,
        ),
        *_alert_topic(cluster),
        # FSx uses associated buckets with a service-linked role for each file system, whose
        # name ends in an id that does not exist yet.
        iam.PolicyStatement(
            sid="LustreAssociations",
            principals=[iam.AnyPrincipal()],
            actions=["kms:Decrypt", "kms:GenerateDataKey*", "kms:DescribeKey"],
            resources=["*"],
            conditions={
                "StringEquals": {
                    "kms:CallerAccount": cluster.account,
                    "kms:ViaService": f"s3.{cluster.region}.{cdk.Aws.URL_SUFFIX}",
                },
                "ArnLike": {
                    "aws:PrincipalArn": (
                        f"arn:{cluster.partition}:iam::{cluster.account}:role/aws-service-role/"
                        "s3.data-source.lustre.fsx.amazonaws.com/AWSServiceRoleForFSxS3Access_*"
                    )
                },
            },
        ),
    ]


def _alert_topic(cluster: Cluster) -> list[iam.PolicyStatement]:
    """The workspace's alert manager writes to the encrypted topic of alarms.

    Without the condition on the account: whether the service sends it to KMS is unknown (AMP user
    guide, "Giving permission to send alert messages to your Amazon SNS topic", read 2026-11-24).
    The topic's policy admits only this workspace.
    """
    if not has_alert_rules(cluster):
        return []
    return [
        iam.PolicyStatement(
            sid="AlertTopic",
            principals=[iam.ServicePrincipal("aps.amazonaws.com")],
            actions=["kms:Decrypt", "kms:GenerateDataKey*"],
            resources=["*"],
        )
    ]


def _node_volumes(cluster: Cluster) -> list[iam.PolicyStatement]:
    """EC2 Auto Scaling launches the nodes of EKS with a service-linked role of the account.

    By name and not as a principal: the role may not exist before the first node group.
    Source: EC2 Auto Scaling user guide, "Required AWS KMS key policy for use with encrypted
    volumes".
    """
    if not cluster.traits.managed_node_groups:
        return []
    of_auto_scaling = {"kms:CallerAccount": cluster.account}
    launcher = {
        "aws:PrincipalArn": (
            f"arn:{cluster.partition}:iam::{cluster.account}:role/aws-service-role/"
            "autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling"
        )
    }
    return [
        iam.PolicyStatement(
            sid="NodeVolumes",
            principals=[iam.AnyPrincipal()],
            actions=[
                "kms:Decrypt",
                "kms:DescribeKey",
                "kms:Encrypt",
                "kms:GenerateDataKey*",
                "kms:ReEncrypt*",
            ],
            resources=["*"],
            conditions={"StringEquals": of_auto_scaling, "ArnEquals": launcher},
        ),
        iam.PolicyStatement(
            sid="NodeVolumeGrants",
            principals=[iam.AnyPrincipal()],
            actions=["kms:CreateGrant"],
            resources=["*"],
            conditions={
                "StringEquals": of_auto_scaling,
                "ArnEquals": launcher,
                "Bool": {"kms:GrantIsForAWSResource": "true"},
            },
        ),
    ]
