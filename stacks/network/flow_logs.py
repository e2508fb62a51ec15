"""Flow logs of the VPC, encrypted, with the retention of the spec."""

from __future__ import annotations

from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster
from stacks.base.log_groups import log_group
from stacks.base.service_principals import for_this_account

AGGREGATION_SECONDS = 600
"""The longer of EC2's two intervals: most connections of a training cluster are long."""


class FlowLogs(Construct):
    """Flow logs of the whole VPC. They do not have EFA traffic, which does not use IP."""

    def __init__(
        self, scope: Construct, construct_id: str, cluster: Cluster, *, vpc_id: str, key_arn: str
    ) -> None:
        super().__init__(scope, construct_id)
        group = log_group(
            self,
            "Group",
            name=f"/clusterwright/{cluster.environment}/flow-logs",
            days=cluster.network.flow_log_retention_days,
            key_arn=key_arn,
        )
        role = iam.Role(
            self,
            "Role",
            description=f"{cluster.environment}: VPC flow logs",
            assumed_by=for_this_account(
                cluster,
                "vpc-flow-logs.amazonaws.com",
                # The flow log's own id would be a cycle: it has this role.
                source_arn=(
                    f"arn:{cluster.partition}:ec2:{cluster.region}:{cluster.account}:"
                    "vpc-flow-log/*"
                ),
            ),
            inline_policies={
                "Write": iam.PolicyDocument(
                    statements=[
                        iam.PolicyStatement(
                            actions=[
                                "logs:CreateLogStream",
                                "logs:DescribeLogStreams",
                                "logs:PutLogEvents",
                            ],
                            resources=[group.attr_arn],
                        )
                    ]
                )
            },
        )
        ec2.CfnFlowLog(
            self,
            "Log",
            resource_id=vpc_id,
            resource_type="VPC",
            traffic_type="ALL",
            log_destination_type="cloud-watch-logs",
            log_group_name=group.ref,
            deliver_logs_permission_arn=role.role_arn,
            max_aggregation_interval=AGGREGATION_SECONDS,
        )
