"""What all stacks of a cluster share: name, account, region, protection."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster


class ClusterStack(cdk.Stack):
    """One stack of a cluster, called `<environment>-<part>`."""

    NAME_SUFFIX = ""
    STATEFUL = False
    """Whether it holds what cannot be made again; such a stack is protected from deletion."""

    def __init__(self, scope: Construct, cluster: Cluster, *, description: str) -> None:
        super().__init__(
            scope,
            f"{cluster.environment}-{self.NAME_SUFFIX}",
            env=cdk.Environment(account=cluster.account, region=cluster.region),
            description=f"{cluster.environment}: {description}",
            termination_protection=self.STATEFUL and cluster.protection == "retain",
        )
        self.cluster = cluster

    def protect(self, resource: cdk.CfnResource) -> None:
        """Let a stateful resource outlive its stack, or not, as `protection` says.

        A resource of a creation that failed is deleted either way: nothing is in it, and its name
        would stand in the way of the next attempt.
        """
        resource.apply_removal_policy(removal_policy(self.cluster))


def removal_policy(cluster: Cluster) -> cdk.RemovalPolicy:
    """What happens to stateful resources with their stack."""
    if cluster.protection == "retain":
        return cdk.RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
    return cdk.RemovalPolicy.DESTROY
