"""AWS's managed collector, which writes metrics of the EKS cluster to the workspace."""

from __future__ import annotations

from collections.abc import Sequence

import aws_cdk as cdk
from aws_cdk import aws_aps as aps
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.kubernetes.metrics import scrape_configuration

_CFN = aps.CfnScraper

MOST_SECURITY_GROUPS = 5
MOST_SUBNETS = 5
"""Limits of a scraper (AMP API, EksConfiguration, botocore 1.44.5)."""


def collector(
    scope: Construct,
    construct_id: str,
    cluster: Cluster,
    *,
    cluster_arn: str,
    subnet_ids: Sequence[str],
    security_group_ids: Sequence[str],
    workspace_arn: str,
) -> aps.CfnScraper:
    """A scraper in the subnets of the control plane, with the groups of the nodes.

    Nodes' security groups allow traffic to each other and to the API server, which is all that it
    needs. AWS creates its access entry for the service-linked role; EKS accepts no other.
    """
    return _CFN(
        scope,
        construct_id,
        alias=cluster.environment,
        scrape_configuration=_CFN.ScrapeConfigurationProperty(
            configuration_blob=cdk.Fn.base64(scrape_configuration(cluster))
        ),
        source=_CFN.SourceProperty(
            eks_configuration=_CFN.EksConfigurationProperty(
                cluster_arn=cluster_arn,
                subnet_ids=list(subnet_ids)[:MOST_SUBNETS],
                security_group_ids=list(security_group_ids)[:MOST_SECURITY_GROUPS],
            )
        ),
        destination=_CFN.DestinationProperty(
            amp_configuration=_CFN.AmpConfigurationProperty(workspace_arn=workspace_arn)
        ),
    )
