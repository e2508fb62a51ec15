"""Quotas of AWS PCS, and what a cluster's size allows.

PCS user guide, "Endpoints and service quotas for AWS PCS" (service-endpoints-quotas): five
clusters per region, adjustable, without a published code; one cluster in CREATING, ten compute
node groups and ten queues per cluster, not adjustable. Sizes: API model (botocore 1.44.5).
"""

from __future__ import annotations

from typing import Final

from clusterwright_localaws.core import quotas
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.services.pcs.state import (
    CLUSTER,
    GROUP,
    QUEUE,
    ChildResource,
    PcsCluster,
    Store,
    over_quota,
    store_in,
)

GROUPS_PER_CLUSTER: Final = 10
QUEUES_PER_CLUSTER: Final = 10
NODES: Final = {"SMALL": 32, "MEDIUM": 512, "LARGE": 2048}


def check_cluster(store: Store) -> None:
    """Refuse a cluster beside one that is being created, or beyond the quota.

    Raises
    ------
    AwsError
        ServiceQuotaExceededException.
    """
    for cluster in store.clusters.values():
        if cluster.status == "CREATING":
            raise over_quota(
                f"The cluster {cluster.name} is in the state CREATING: there can be only 1 "
                "cluster in that state per Region.",
                CLUSTER,
                cluster.id,
            )
    place = (store.account, store.region, *quotas.PCS_CLUSTERS)
    limit = quotas.quota(store.runtime, *place[1:])
    if limit is None or limit.value is None:
        return
    if quotas.in_use(store.runtime, *place) >= limit.value:
        raise over_quota(f"The maximum number of clusters is {limit.value:.0f}.", CLUSTER)


@quotas.counts_usage(*quotas.PCS_CLUSTERS)
def _clusters_in_use(runtime: Runtime, account: str, region: str) -> float:
    return len(store_in(runtime, account, region).clusters)


def check_group_count(cluster: PcsCluster) -> None:
    """Refuse an eleventh compute node group.

    Raises
    ------
    AwsError
        ServiceQuotaExceededException.
    """
    if len(cluster.groups) >= GROUPS_PER_CLUSTER:
        raise over_quota(
            f"The maximum number of compute node groups per cluster is {GROUPS_PER_CLUSTER}.",
            GROUP,
            cluster.id,
        )


def check_queue_count(cluster: PcsCluster) -> None:
    """Refuse an eleventh queue.

    Raises
    ------
    AwsError
        ServiceQuotaExceededException.
    """
    if len(cluster.queues) >= QUEUES_PER_CLUSTER:
        raise over_quota(
            f"The maximum number of queues per cluster is {QUEUES_PER_CLUSTER}.",
            QUEUE,
            cluster.id,
        )


def check_instances(cluster: PcsCluster, group: ChildResource | None, maximum: int) -> None:
    """Refuse more instances than the cluster's size allows, over all of its groups.

    `group` is the group whose maximum changes to `maximum`; None for a new one.

    Raises
    ------
    AwsError
        ServiceQuotaExceededException.
    """
    others = sum(
        int(one.members["scalingConfiguration"]["maxInstanceCount"])
        for one in cluster.groups.values()
        if one is not group
    )
    size = str(cluster.members["size"])
    if others + maximum > NODES[size]:
        raise over_quota(
            f"The total of maxInstanceCount over all compute node groups would be "
            f"{others + maximum}; a {size} cluster has at most {NODES[size]} compute nodes.",
            CLUSTER,
            cluster.id,
        )
