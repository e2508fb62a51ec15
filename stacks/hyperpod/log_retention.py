"""HyperPod's own log groups: an end for their events, and nothing left over with `destroy`.

HyperPod makes `/aws/sagemaker/Clusters/<name>/<id>` when the nodes of a cluster first write to it,
with events that are kept for ever. The id is AWS's, so no resource of a template can be the group.
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

CODE = Path(__file__).parent / "functions" / "log_keeper.py"
RUNTIME = "python3.14"
TIMEOUT_S = 60


def node_log_prefix(cluster: Cluster) -> str:
    """What the names of HyperPod's log groups of this cluster begin with."""
    return f"/aws/sagemaker/Clusters/{cluster.environment}/"


class NodeLogKeeper(Construct):
    """The function that keeps HyperPod's log groups, and their removal after the cluster's.

    It stands in a stack below the cluster: when that stack goes, no node writes any more.
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
            description=f"{cluster.environment}: keeps the log groups that HyperPod makes",
            assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"),
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
            "HyperPod ends the names with an id that AWS chooses",
        )
        acknowledge(
            role,
            f"AwsSolutions-IAM5[Resource::{everything}]",
            "DescribeLogGroups lists and so takes no single group",
        )
        function = lambda_.CfnFunction(
            self,
            "Function",
            description=f"{cluster.environment}: keeps the log groups that HyperPod makes",
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
    """Keep the events of the cluster's own log group for `observability.log_retention_days`."""
    cdk.CustomResource(
        scope,
        construct_id,
        resource_type="Custom::LogRetention",
        service_token=function_arn,
        service_timeout=cdk.Duration.seconds(TIMEOUT_S * 2),
        properties={
            "LogGroupName": f"{node_log_prefix(cluster)}{cluster_id}",
            "RetentionInDays": cluster.observability.log_retention_days,
            # The group goes with the keeper's stack, when no node writes to it any more.
            "RemovalPolicy": "retain",
        },
    )
