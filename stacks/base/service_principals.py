"""Services that assume roles, for resources of this account only.

A service that acts for many accounts can be made to use a role for another one (the confused
deputy, IAM user guide, "The confused deputy problem"). The condition keys prevent it where the
service sends them; where it does not, a condition would refuse the service itself. Which do is in
docs/explanations/threat-model.md.
"""

from __future__ import annotations

from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_iam as iam

from clusterwright.cluster_spec.models.cluster import Cluster

LAMBDA = "lambda.amazonaws.com"


def for_this_account(
    cluster: Cluster, service: str, *, source_arn: str | None = None
) -> iam.ServicePrincipal:
    """The principal of a service that sends aws:SourceAccount, and aws:SourceArn if given."""
    return iam.ServicePrincipal(service, conditions=source(cluster, source_arn=source_arn))


def source(cluster: Cluster, *, source_arn: str | None = None) -> dict[str, Any]:
    """The condition that a service acts for this account, and for one resource if given."""
    found: dict[str, Any] = {"StringEquals": {"aws:SourceAccount": cluster.account}}
    if source_arn is not None:
        found["ArnLike"] = {"aws:SourceArn": source_arn}
    return found


def limit_to_this_account(role: cdk.CfnResource, cluster: Cluster) -> None:
    """Add the condition to a role whose trust policy the CDK writes."""
    role.add_property_override("AssumeRolePolicyDocument.Statement.0.Condition", source(cluster))
