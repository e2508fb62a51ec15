"""The base class of a cluster's stacks: name, account, region, protection."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster


class ClusterStack(cdk.Stack):
    """One stack of a cluster, named `<environment>-<suffix>`."""

    NAME_SUFFIX = ""
    STATEFUL = False
    """Whether it has data that cannot be restored; such a stack is protected from deletion."""

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
        """Retain a stateful resource when its stack is deleted, if `protection` is `retain`.

        A resource whose creation failed is deleted in any case: it is empty, and its name would
        block the next attempt.
        """
        resource.apply_removal_policy(removal_policy(self.cluster))


def removal_policy(cluster: Cluster) -> cdk.RemovalPolicy:
    """The removal policy of stateful resources."""
    if cluster.protection == "retain":
        return cdk.RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
    return cdk.RemovalPolicy.DESTROY
