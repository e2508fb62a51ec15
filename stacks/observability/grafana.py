"""A workspace of Amazon Managed Grafana that may query the Prometheus workspace, and nothing else.

Sources: Amazon Managed Grafana user guide, "Amazon Managed Service for Prometheus permissions" and
"Cross-service confused deputy prevention"; its API reference, CreateWorkspace: outside the console
the role is the user's, CUSTOMER_MANAGED (botocore 1.44.5).
"""

from __future__ import annotations

from typing import Final

from aws_cdk import aws_grafana as grafana
from aws_cdk import aws_iam as iam
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.operations import Grafana
from stacks.base.service_principals import source

VERSION: Final = "10.4"
"""The newest version that the API model names (botocore 1.44.5); the dashboards need 9."""

QUERIES: Final = (
    "aps:DescribeWorkspace",
    "aps:GetLabels",
    "aps:GetMetricMetadata",
    "aps:GetSeries",
    "aps:QueryMetrics",
)
"""Without `aps:ListWorkspaces`, which has no resource: the data source has the workspace's URL."""


def grafana_workspace(
    scope: Construct, cluster: Cluster, asked: Grafana, *, prometheus_arn: str
) -> grafana.CfnWorkspace:
    """The workspace, whose data is encrypted with AWS's key: the type has no property for others.

    It is outside the VPC and queries Prometheus through its public API, so that it works with a
    closed network too; browsers reach it over the internet.
    """
    role = iam.Role(
        scope,
        "GrafanaRole",
        description=f"{cluster.environment}: queries of the Grafana workspace",
        # The id of the workspace is not known before the role exists.
        assumed_by=iam.ServicePrincipal(
            "grafana.amazonaws.com",
            conditions=source(
                cluster,
                source_arn=f"arn:{cluster.partition}:grafana:{cluster.region}:{cluster.account}"
                ":/workspaces/*",
            ),
        ),
        inline_policies={
            "Queries": iam.PolicyDocument(
                statements=[
                    iam.PolicyStatement(
                        sid="Queries", actions=list(QUERIES), resources=[prometheus_arn]
                    )
                ]
            )
        },
    )
    return grafana.CfnWorkspace(
        scope,
        "Grafana",
        name=cluster.environment,
        description=f"Dashboards of {cluster.environment}",
        account_access_type="CURRENT_ACCOUNT",
        authentication_providers=["SAML" if asked.login == "saml" else "AWS_SSO"],
        permission_type="CUSTOMER_MANAGED",
        role_arn=role.role_arn,
        grafana_version=VERSION,
    )
