"""EBS volumes of instances, on HyperPod at HyperPod's rate."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cost.bill import Line
from clusterwright.cost.indications import volume_indication
from clusterwright.cost.line_builder import Item, LineBuilder

HYPERPOD_VOLUME = Item("hyperpod", "additional EBS volume", "GB-month")
EBS_VOLUME = Item("ebs", "gp3 storage", "GB-month")


def lines(builder: LineBuilder) -> Iterator[Line]:
    """One line per group with an additional volume, and root volumes of managed node groups."""
    if builder.cluster.traits.managed_node_groups:
        yield from _roots(builder)
    for index, group in enumerate(builder.cluster.compute):
        if group.ebs is None or not group.count:
            continue
        item = HYPERPOD_VOLUME if builder.on_hyperpod else EBS_VOLUME
        indication = None
        if builder.on_hyperpod:
            indication = volume_indication(builder.book, EBS_VOLUME, builder.region)
        yield builder.line(
            "volumes",
            f"{group.name}: {group.count} × {group.ebs.capacity_gib} GiB",
            group.count * group.ebs.capacity_gib,
            item,
            path=("compute", index, "ebs", "capacity_gib"),
            group=group.name,
            releasable=group.role == "compute",
            indication=indication,
        )


def _roots(builder: LineBuilder) -> Iterator[Line]:
    size = builder.cluster.kubernetes.node_volume_gib
    for group in builder.cluster.compute:
        if group.count:
            yield builder.line(
                "volumes",
                f"{group.name}: {group.count} × {size} GiB, root",
                group.count * size,
                EBS_VOLUME,
                path=("kubernetes", "node_volume_gib"),
                group=group.name,
                releasable=group.role == "compute",
            )
