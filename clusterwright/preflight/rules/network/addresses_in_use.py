"""The addresses of the deployed cluster, which an update does not need again."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.aws.sagemaker import Cluster
from clusterwright.catalog import Known
from clusterwright.platforms.hyperpod.instance_groups import ec2_name
from clusterwright.preflight.facts.hyperpod import deployed_cluster
from clusterwright.preflight.rule import Context


def addresses_in_use(context: Context, clusters: Iterable[Cluster]) -> int:
    """The addresses that the nodes of this spec's cluster use now; 0 before the first deployment.

    Types of unknown need count as none, which makes the check stricter.
    """
    cluster = deployed_cluster(clusters, context.cluster.environment)
    platform = context.cluster.platform
    total = 0
    for group in cluster.groups if cluster else ():
        per_node = context.catalog.addresses_per_node(ec2_name(group.instance_type), platform)
        total += group.count * (per_node.value if isinstance(per_node, Known) else 0)
    return total
