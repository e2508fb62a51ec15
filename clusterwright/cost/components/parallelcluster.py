"""What ParallelCluster makes for itself: root volumes, a file system, ways to login nodes, alarms.

Read in aws-parallelcluster 3.16.1 (`templates/cluster_stack.py`, `login_nodes_stack.py` there).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.problems import Path
from clusterwright.cost.bill import Line
from clusterwright.cost.components.observability import ALARM
from clusterwright.cost.components.volumes import EBS_VOLUME
from clusterwright.cost.line_builder import Item, Pricing

PLATFORM: Final = "parallelcluster"
IMAGE_ROOT_GIB: Final = 45
"""Of ParallelCluster's own images (EBS_ROOT_VOLUME_SIZE_DEFAULT, pcluster/constants.py 3.16.1)."""

SHARED_STORAGE = Item("efs", "Standard storage", "GB-month")
LOAD_BALANCER = Item("elb", "network load balancer", "hour")
LOAD_BALANCER_USE = Item("elb", "network load balancer capacity units", "LCU-hour")
TABLE_USE = Item("dynamodb", "on-demand requests", "1000000 requests")
HOSTED_ZONE = Item("route53", "hosted zone", "zone-month")
DASHBOARD = Item("cloudwatch", "dashboard", "dashboard-month")


def lines(pricing: Pricing) -> Iterator[Line]:
    """Nothing on other platforms."""
    cluster = pricing.cluster
    if cluster.platform != PLATFORM:
        return
    for group in cluster.compute:
        if group.count:
            yield _roots(pricing, group)
    here: Path = ("platform",)
    yield pricing.used(
        PLATFORM, "ParallelCluster's shared storage on EFS", SHARED_STORAGE, path=here
    )
    pools = sum(group.role == "login" for group in cluster.compute)
    if pools:
        yield pricing.line(
            PLATFORM, "load balancers of login nodes", pools, LOAD_BALANCER, path=here, per="hour"
        )
        yield pricing.used(
            PLATFORM, "load balancers of login nodes: use", LOAD_BALANCER_USE, path=here
        )
    yield pricing.used(PLATFORM, "ParallelCluster's table of nodes", TABLE_USE, path=here)
    if cluster.network.egress != "closed" or cluster.network.existing is not None:
        yield pricing.line(PLATFORM, "names of nodes in Route 53", 1, HOSTED_ZONE, path=here)
    yield pricing.line(PLATFORM, "ParallelCluster's dashboard", 1, DASHBOARD, path=here)
    yield pricing.line(
        PLATFORM,
        "ParallelCluster's alarms of the head node",
        None,
        ALARM,
        path=here,
        note="how many there are is the release's choice",
    )


def _roots(pricing: Pricing, group: ComputeGroup) -> Line:
    ours = pricing.cluster.parallelcluster
    key = {"controller": "head_node_root_volume_gib", "compute": "root_volume_gib"}.get(group.role)
    said = getattr(ours, key) if key is not None else None
    size, note = said, None
    path: Path = (PLATFORM, key) if said is not None and key is not None else ("image",)
    if said is None and pricing.cluster.image.image_id is None:
        size, note = IMAGE_ROOT_GIB, f"the image's own size in 3.16.1: {IMAGE_ROOT_GIB} GiB"
    elif said is None:
        note = "the size is that of your own image"
    text = f"{group.name}: {group.count} × {'?' if size is None else size} GiB, root"
    return pricing.line(
        "volumes",
        text,
        None if size is None else group.count * size,
        EBS_VOLUME,
        path=path,
        note=note,
        group=group.name,
        releasable=group.role == "compute",
    )
