"""Home directories on FSx for OpenZFS."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.problems import Path
from clusterwright.cost.bill import Line
from clusterwright.cost.line_builder import Item, LineBuilder

STORAGE = Item("fsx_openzfs", "SSD storage", "GB-month")
THROUGHPUT = Item("fsx_openzfs", "throughput", "MBps-month")
BACKUPS = Item("fsx_openzfs", "backup", "GB-month")


def lines(builder: LineBuilder) -> Iterator[Line]:
    """Capacity and throughput; the IOPS of the capacity are included."""
    home = builder.cluster.storage.home
    if home is None or home.existing is not None:
        return
    here: Path = ("storage", "home")
    yield builder.line(
        "home", "OpenZFS SSD storage", home.capacity_gib, STORAGE, path=(*here, "capacity_gib")
    )
    yield builder.line(
        "home",
        "OpenZFS throughput",
        home.throughput_mbps,
        THROUGHPUT,
        path=(*here, "throughput_mbps"),
    )
    if home.backup_retention_days:
        yield builder.used(
            "home", "OpenZFS backups", BACKUPS, path=(*here, "backup_retention_days")
        )
