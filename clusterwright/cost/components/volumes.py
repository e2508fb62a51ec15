"""EBS volumes of instances. HyperPod's rate for them is its own; EBS's never stands in for it."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cost.bill import Line
from clusterwright.cost.line_builder import Item, Pricing

HYPERPOD_VOLUME = Item("hyperpod", "additional EBS volume", "GB-month")
EBS_VOLUME = Item("ebs", "gp3 storage", "GB-month")


def lines(pricing: Pricing) -> Iterator[Line]:
    """One line per group with an additional volume, or with root volumes that we make, on EKS."""
    if pricing.cluster.platform == "eks":
        yield from _roots(pricing)
    hyperpod = pricing.cluster.platform.startswith("hyperpod-")
    for index, group in enumerate(pricing.cluster.compute):
        if group.ebs is None or not group.count:
            continue
        yield pricing.line(
            "volumes",
            f"{group.name}: {group.count} × {group.ebs.capacity_gib} GiB",
            group.count * group.ebs.capacity_gib,
            HYPERPOD_VOLUME if hyperpod else EBS_VOLUME,
            path=("compute", index, "ebs", "capacity_gib"),
            group=group.name,
            releasable=group.role == "compute",
        )


def _roots(pricing: Pricing) -> Iterator[Line]:
    size = pricing.cluster.kubernetes.node_volume_gib
    for group in pricing.cluster.compute:
        if group.count:
            yield pricing.line(
                "volumes",
                f"{group.name}: {group.count} × {size} GiB, root",
                group.count * size,
                EBS_VOLUME,
                path=("kubernetes", "node_volume_gib"),
                group=group.name,
                releasable=group.role == "compute",
            )
