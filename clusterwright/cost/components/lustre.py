"""FSx for Lustre: capacity by tier, metadata IOPS above the included ones, throughput, caches."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.catalog import Known
from clusterwright.cluster_spec.models.storage import Lustre
from clusterwright.cluster_spec.problems import Path
from clusterwright.cost.bill import Line
from clusterwright.cost.line_builder import Item, LineBuilder

METADATA = Item("fsx_lustre", "metadata IOPS above included", "IOPS-month")
TIERING_THROUGHPUT = Item("fsx_lustre", "Intelligent-Tiering throughput", "MBps-month")
TIERING_STORAGE = Item("fsx_lustre", "Intelligent-Tiering storage", "GB-month")
TIERING_REQUESTS = Item("fsx_lustre", "Intelligent-Tiering requests", "1000 requests")
TIERING_METADATA = Item("fsx_lustre", "Intelligent-Tiering metadata IOPS", "IOPS-month")
TIERING_CACHE = Item("fsx_lustre", "Intelligent-Tiering SSD read cache", "GB-month")
HDD_CACHE = Item("fsx_lustre", "SSD read cache of HDD", "GB-month")
BACKUPS = Item("fsx_lustre", "backup", "GB-month")


def capacity_item(fs: Lustre) -> Item:
    """The item of a file system's capacity, by tier."""
    throughput = f" {fs.throughput_mbps_per_tib}" if fs.throughput_mbps_per_tib else ""
    return Item("fsx_lustre", f"{fs.deployment_type} {fs.storage_type}{throughput}", "GB-month")


def lines(builder: LineBuilder) -> Iterator[Line]:
    """Lines of every created file system; existing ones are not on this bill."""
    built = [
        (("storage", "lustre", index), fs)
        for index, fs in enumerate(builder.cluster.storage.lustre)
        if fs.existing is None
    ]
    for here, fs in built:
        if fs.storage_type == "INTELLIGENT_TIERING":
            yield from _tiering(builder, fs, here)
        else:
            yield from _provisioned(builder, fs, here)
    yield from _restricted(builder)
    # Items by use have one line for all file systems: a user states one quantity.
    tiering = [here for here, fs in built if fs.storage_type == "INTELLIGENT_TIERING"]
    if tiering:
        yield builder.used(
            "lustre", "Intelligent-Tiering: storage", TIERING_STORAGE, path=tiering[0]
        )
        yield builder.used(
            "lustre", "Intelligent-Tiering: requests", TIERING_REQUESTS, path=tiering[0]
        )
    backups = [here for here, fs in built if fs.backup_retention_days]
    if backups:
        path = (*backups[0], "backup_retention_days")
        yield builder.used("lustre", "backups", BACKUPS, path=path)


def _restricted(builder: LineBuilder) -> Iterator[Line]:
    """The file system that HyperPod builds for restricted groups, of the tiers of PERSISTENT_2."""
    lustre = builder.cluster.hyperpod.restricted_lustre
    if lustre is not None:
        item = Item("fsx_lustre", f"PERSISTENT_2 SSD {lustre.throughput_mbps_per_tib}", "GB-month")
        yield builder.line(
            "lustre",
            f"restricted groups: {item.name}",
            lustre.capacity_gib,
            item,
            path=("hyperpod", "restricted_lustre", "capacity_gib"),
            note="HyperPod creates it; assumed to have the price of FSx",
        )


def _provisioned(builder: LineBuilder, fs: Lustre, here: Path) -> Iterator[Line]:
    capacity_gib = fs.capacity_gib or 0
    item = capacity_item(fs)
    yield builder.line(
        "lustre", f"{fs.name}: {item.name}", capacity_gib, item, path=(*here, "capacity_gib")
    )
    if fs.hdd_read_cache:
        # FSx documentation, HDD storage: the cache is 20 % of the capacity.
        yield builder.line(
            "lustre",
            f"{fs.name}: SSD cache",
            capacity_gib // 5,
            HDD_CACHE,
            path=(*here, "hdd_read_cache"),
        )
    iops = fs.metadata.iops if fs.metadata else None
    if iops is None:
        return
    path = (*here, "metadata", "iops")
    included = builder.catalog.lustre.automatic_metadata_iops(capacity_gib)
    if not isinstance(included, Known):
        yield builder.line(
            "lustre", f"{fs.name}: metadata IOPS", None, METADATA, path=path, note=included.reason
        )
    elif iops > included.value:
        yield builder.line(
            "lustre",
            f"{fs.name}: metadata IOPS",
            iops - included.value,
            METADATA,
            path=path,
            note=f"{iops:,} less {included.value:,} that the capacity includes",
        )


def _tiering(builder: LineBuilder, fs: Lustre, here: Path) -> Iterator[Line]:
    throughput_mbps = fs.throughput_mbps or 0
    yield builder.line(
        "lustre",
        f"{fs.name}: Intelligent-Tiering throughput",
        throughput_mbps,
        TIERING_THROUGHPUT,
        path=(*here, "throughput_mbps"),
    )
    if fs.metadata is not None and fs.metadata.iops is not None:
        yield builder.line(
            "lustre",
            f"{fs.name}: metadata IOPS",
            fs.metadata.iops,
            TIERING_METADATA,
            path=(*here, "metadata", "iops"),
        )
    cache = fs.read_cache
    if cache is None or cache.mode != "none":
        yield builder.line(
            "lustre",
            f"{fs.name}: SSD read cache",
            cache.capacity_gib if cache and cache.capacity_gib else None,
            TIERING_CACHE,
            path=(*here, "read_cache"),
            note=None
            if cache and cache.capacity_gib
            else "FSx derives its size from the throughput, by a factor that no source states",
        )
