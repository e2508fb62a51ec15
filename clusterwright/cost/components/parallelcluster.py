"""Resources of ParallelCluster: root volumes, a file system, load balancers, alarms.

Source: aws-parallelcluster 3.16.1 (`templates/cluster_stack.py`, `login_nodes_stack.py` there).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.problems import Path
from clusterwright.cluster_spec.root_volumes import root_volume
from clusterwright.cost.bill import Line
from clusterwright.cost.components.observability import ALARM
from clusterwright.cost.components.volumes import EBS_VOLUME
from clusterwright.cost.line_builder import Item, LineBuilder

COMPONENT: Final = "parallelcluster"
IMAGE_ROOT_GIB: Final = 45
"""Of ParallelCluster's own images (EBS_ROOT_VOLUME_SIZE_DEFAULT, pcluster/constants.py 3.16.1)."""

SHARED_STORAGE = Item("efs", "Standard storage", "GB-month")
LOAD_BALANCER = Item("elb", "network load balancer", "hour")
LOAD_BALANCER_USE = Item("elb", "network load balancer capacity units", "LCU-hour")
TABLE_USE = Item("dynamodb", "on-demand requests", "1000000 requests")
HOSTED_ZONE = Item("route53", "hosted zone", "zone-month")
DASHBOARD = Item("cloudwatch", "dashboard", "dashboard-month")


def lines(builder: LineBuilder) -> Iterator[Line]:
    """Nothing on other platforms."""
    cluster = builder.cluster
    if COMPONENT not in cluster.traits.sections:
        return
    for group in cluster.compute:
        if group.count:
            yield _roots(builder, group)
    here: Path = ("platform",)
    yield builder.used(
        COMPONENT, "ParallelCluster's shared storage on EFS", SHARED_STORAGE, path=here
    )
    pools = sum(group.role == "login" for group in cluster.compute)
    if pools:
        yield builder.line(
            COMPONENT, "load balancers of login nodes", pools, LOAD_BALANCER, path=here, per="hour"
        )
        yield builder.used(
            COMPONENT, "load balancers of login nodes: use", LOAD_BALANCER_USE, path=here
        )
    yield builder.used(COMPONENT, "ParallelCluster's table of nodes", TABLE_USE, path=here)
    if cluster.network.egress != "closed" or cluster.network.existing is not None:
        yield builder.line(COMPONENT, "names of nodes in Route 53", 1, HOSTED_ZONE, path=here)
    yield builder.line(COMPONENT, "ParallelCluster's dashboard", 1, DASHBOARD, path=here)
    yield builder.line(
        COMPONENT,
        "ParallelCluster's alarms of the head node",
        None,
        ALARM,
        path=here,
        note="their number depends on the release",
    )


def _roots(builder: LineBuilder, group: ComputeGroup) -> Line:
    path, stated = root_volume(builder.cluster, group) or (("image",), None)
    size, note = stated, None
    if stated is None and builder.cluster.image.image_id is None:
        size, note = IMAGE_ROOT_GIB, f"the image's own size in 3.16.1: {IMAGE_ROOT_GIB} GiB"
    elif stated is None:
        note = "the size is that of your image"
    text = f"{group.name}: {group.count} × {'?' if size is None else size} GiB, root"
    return builder.line(
        "volumes",
        text,
        None if size is None else group.count * size,
        EBS_VOLUME,
        path=("image",) if stated is None else path,
        note=note,
        group=group.name,
        releasable=group.role == "compute",
    )
