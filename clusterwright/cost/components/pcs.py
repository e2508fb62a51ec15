"""What AWS PCS charges in addition to the instances: controller, node management, accounting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from clusterwright.cost.bill import Line
from clusterwright.cost.components.volumes import EBS_VOLUME
from clusterwright.cost.line_builder import Item, LineBuilder
from clusterwright.platforms.pcs.sizes import needed, size_of

COMPONENT: Final = "scheduler"
NODE_MANAGEMENT: Final = Item("pcs", "node management", "node-hour")
"""The price feed has two rates, `SlurmStd` and `SlurmAdv`; no source says which types have which,
so that the line has no rate until the user states one."""

ACCOUNTING_USE: Final = Item("pcs", "managed accounting", "hour")
ACCOUNTING_STORAGE: Final = Item("pcs", "managed accounting storage", "GB-month")


def controller(size: str) -> Item:
    """The item of a controller's size, as the price feed names it."""
    return Item("pcs", f"controller {size.capitalize()} (Slurm)", "hour")


def lines(builder: LineBuilder) -> Iterator[Line]:
    """Nothing on other platforms."""
    cluster = builder.cluster
    if "pcs" not in cluster.traits.sections:
        return
    size = size_of(cluster)
    yield builder.line(
        COMPONENT,
        f"PCS controller, {size}",
        1,
        controller(size),
        path=("pcs", "size") if cluster.pcs.size is not None else ("platform",),
        per="hour",
        note=needed(cluster).reason,
    )
    for index, group in enumerate(cluster.compute):
        if group.count:
            yield builder.line(
                COMPONENT,
                f"{group.name}: {group.count} × management of a node",
                group.count,
                NODE_MANAGEMENT,
                path=("compute", index, "count"),
                per="hour",
                note="PCS has a standard and an advanced rate; no source says which types have "
                "which",
                group=group.name,
                releasable=group.role == "compute",
            )
    if cluster.slurm.accounting.kind == "managed":
        here = ("slurm", "accounting", "kind")
        yield builder.line(
            COMPONENT, "managed accounting", 1, ACCOUNTING_USE, path=here, per="hour"
        )
        yield builder.used(COMPONENT, "managed accounting: storage", ACCOUNTING_STORAGE, path=here)
    yield from _roots(builder)


def _roots(builder: LineBuilder) -> Iterator[Line]:
    size = builder.cluster.pcs.root_volume_gib
    for group in builder.cluster.compute:
        if group.count:
            yield builder.line(
                "volumes",
                f"{group.name}: {group.count} × {'?' if size is None else size} GiB, root",
                None if size is None else group.count * size,
                EBS_VOLUME,
                path=("image",) if size is None else ("pcs", "root_volume_gib"),
                note="the size is that of the image" if size is None else None,
                group=group.name,
                releasable=group.role == "compute",
            )
