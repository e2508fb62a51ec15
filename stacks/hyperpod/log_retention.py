"""Retention of HyperPod's own log groups, and their deletion with `protection: destroy`.

HyperPod creates `/aws/sagemaker/Clusters/<name>/<id>` when the nodes of a cluster first write to
it, without expiry. AWS chooses the id, so no resource of a template can be the log group.
"""

from __future__ import annotations

from pathlib import Path

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster
from stacks.base.acknowledge import acknowledge
from stacks.base.log_groups import log_group
from stacks.base.service_principals import LAMBDA, for_this_account

CODE = Path(__file__).parent / "functions" / "log_keeper.py"
RUNTIME = "python3.14"
TIMEOUT_S = 60


def node_log_prefix(cluster: Cluster) -> str:
    """The prefix of the names of this cluster's HyperPod log groups."""
    return f"/aws/sagemaker/Clusters/{cluster.environment}/"


class NodeLogKeeper(Construct):
    """The function that sets the retention of HyperPod's log groups and deletes them.

    Its stack is deleted after the cluster's: then no node writes to the log groups any more.
    """

    def __init__(self, scope: Construct, construct_id: str, cluster: Cluster) -> None:
        super().__init__(scope, construct_id)
        group = log_group(
            self,
            "Logs",
            name=f"/clusterwright/{cluster.environment}/log-keeper",
            days=cluster.observability.log_retention_days,
            key_arn=None,
        )
        kept = (
            f"arn:{cluster.partition}:logs:{cluster.region}:{cluster.account}:"
            f"log-group:{node_log_prefix(cluster)}*"
        )
        everything = f"arn:{cluster.partition}:logs:{cluster.region}:{cluster.account}:log-group:*"
        role = iam.Role(
            self,
            "Role",
            description=f"{cluster.environment}: retention of HyperPod's log groups",
            assumed_by=for_this_account(cluster, LAMBDA),
            inline_policies={
                "Keep": iam.PolicyDocument(
                    statements=[
                        iam.PolicyStatement(
                            actions=[
                                "logs:CreateLogGroup",
                                "logs:DeleteLogGroup",
                                "logs:PutRetentionPolicy",
                            ],
                            resources=[kept],
                        ),
                        iam.PolicyStatement(
                            actions=["logs:DescribeLogGroups"], resources=[everything]
                        ),
                        iam.PolicyStatement(
                            actions=["logs:CreateLogStream", "logs:PutLogEvents"],
                            resources=[group.attr_arn],
                        ),
                    ]
                )
            },
        )
        acknowledge(
            role,
            f"AwsSolutions-IAM5[Resource::{kept}]",
            "the names end in an id that AWS chooses",
        )
        acknowledge(
            role,
            f"AwsSolutions-IAM5[Resource::{everything}]",
            "DescribeLogGroups lists log groups, so it cannot be limited to one",
        )
        function = lambda_.CfnFunction(
            self,
            "Function",
            description=f"{cluster.environment}: retention of HyperPod's log groups",
            code=lambda_.CfnFunction.CodeProperty(zip_file=CODE.read_text(encoding="utf-8")),
            handler="index.handler",
            runtime=RUNTIME,
            role=role.role_arn,
            timeout=TIMEOUT_S,
            logging_config=lambda_.CfnFunction.LoggingConfigProperty(log_group=group.ref),
        )
        self.function_arn = function.attr_arn
        if cluster.protection == "destroy":
            cdk.CustomResource(
                self,
                "Cleanup",
                resource_type="Custom::LogGroupCleanup",
                service_token=self.function_arn,
                service_timeout=cdk.Duration.seconds(TIMEOUT_S * 2),
                properties={"LogGroupNamePrefix": node_log_prefix(cluster)},
            )


def node_log_retention(
    scope: Construct,
    construct_id: str,
    cluster: Cluster,
    *,
    cluster_id: str,
    function_arn: str,
) -> None:
    """Set the retention of the cluster's log group to `observability.log_retention_days`."""
    cdk.CustomResource(
        scope,
        construct_id,
        resource_type="Custom::LogRetention",
        service_token=function_arn,
        service_timeout=cdk.Duration.seconds(TIMEOUT_S * 2),
        properties={
            "LogGroupName": f"{node_log_prefix(cluster)}{cluster_id}",
            "RetentionInDays": cluster.observability.log_retention_days,
            # The log group is deleted with the function's stack, when no node writes to it.
            "RemovalPolicy": "retain",
        },
    )
