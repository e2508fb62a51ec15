"""File systems: space, traffic, and the preload from S3."""

from __future__ import annotations

from clusterwright.monitoring.facts import Facts
from clusterwright.monitoring.panels import Dashboard, Panel, Query, Row
from clusterwright.monitoring.selectors import on_cluster, on_nodes, rate

_SHARED = 'fstype=~"lustre|nfs|nfs4"'
_LOCAL = 'fstype!~"lustre|nfs|nfs4|tmpfs"'


def dashboard(facts: Facts) -> Dashboard:
    """Shared and local file systems."""
    return Dashboard(
        name="storage",
        title="Storage",
        description="Space and traffic of shared and local file systems, as the nodes see them.",
        variables=("group", "node"),
        rows=(_space(), _traffic(), _local()),
    )


def _space() -> Row:
    def used(free: str, total: str) -> str:
        whole = on_cluster(f"node_filesystem_{total}", _SHARED)
        share = f"1 - {on_cluster(f'node_filesystem_{free}', _SHARED)} / ({whole} > 0)"
        return f"max by (mountpoint) ({share})"

    return Row(
        "Shared file systems: space",
        (
            Panel("Space in use", "Share of the space that is in use.", "percentunit",
                  (Query(used("avail_bytes", "size_bytes"), "{{mountpoint}}"),), maximum=1,
                  warn_at=0.85, alarm_at=0.95),
            Panel("Inodes in use", "Share of the inodes that are in use; a file system without"
                  " free inodes is full.", "percentunit",
                  (Query(used("files_free", "files"), "{{mountpoint}}"),), maximum=1,
                  warn_at=0.85, alarm_at=0.95),
            Panel("Nodes that have it mounted", "Nodes that list the mount. Nodes that lost it"
                  " are missing.", "short",
                  (Query("count by (mountpoint)"
                         f" ({on_cluster('node_filesystem_device_error', _SHARED)})",
                         "{{mountpoint}}"),)),
            Panel("Mounts that do not answer", "Nodes on which reading the space of the file"
                  " system failed or took too long.", "short",
                  (Query(f"{on_cluster('node_filesystem_device_error', _SHARED)} > 0",
                         "{{node}} {{mountpoint}}"),), alarm_at=1),
        ),
    )  # fmt: skip


def _traffic() -> Row:
    moved = on_nodes("lustre_client_bytes_total", 'operation=~"read_bytes|write_bytes"')
    done = on_nodes("lustre_client_operations_total", 'operation!~"read_bytes|write_bytes"')
    loaded = on_cluster("clusterwright_preload_files_loaded")
    seen = on_cluster("clusterwright_preload_files_seen")
    return Row(
        "Lustre: traffic",
        (
            Panel("Bytes", "Bytes per second, sum of the nodes. A checkpoint is a peak of"
                  " write_bytes.", "Bps",
                  (Query(f"sum by (fs, operation) ({rate(moved)})", "{{fs}} {{operation}}"),)),
            Panel("Bytes by node", "Bytes per second of each node.", "Bps",
                  (Query(f"sum by (node, operation) ({rate(moved)})",
                         "{{node}} {{operation}}"),)),
            Panel("Metadata operations", "Operations per second, sum of the nodes.", "ops",
                  (Query(f"sum by (fs, operation) ({rate(done)})", "{{fs}} {{operation}}"),)),
            Panel("Preload from S3", "Share of the files seen that are loaded.", "percentunit",
                  (Query(f"max by (file_system) ({loaded} / ({seen} > 0))", "{{file_system}}"),),
                  maximum=1),
        ),
    )  # fmt: skip


def _local() -> Row:
    free = on_nodes("node_filesystem_avail_bytes", _LOCAL)
    size = on_nodes("node_filesystem_size_bytes", _LOCAL)
    busy = rate(on_nodes("node_disk_io_time_seconds_total"))
    memory = on_nodes("node_filesystem_avail_bytes", 'fstype="tmpfs"')
    whole = on_nodes("node_filesystem_size_bytes", 'fstype="tmpfs"')
    return Row(
        "Local file systems",
        (
            Panel("Space in use", "Share of the space that is in use.", "percentunit",
                  (Query(f"1 - {free} / {size}", "{{node}} {{mountpoint}}"),), maximum=1,
                  warn_at=0.8, alarm_at=0.9),
            Panel("Read-only file systems", "Local file systems that are mounted read-only: Linux"
                  " does that after errors of the disk.", "short",
                  (Query(f"{on_nodes('node_filesystem_readonly', _LOCAL)} > 0",
                         "{{node}} {{mountpoint}}"),), alarm_at=1),
            Panel("Busy disks", "Share of time with requests in progress.", "percentunit",
                  (Query(busy, "{{node}} {{device}}"),), maximum=1),
            Panel("File systems in memory", "Share of tmpfs that is in use.", "percentunit",
                  (Query(f"1 - {memory} / ({whole} > 0)", "{{node}} {{mountpoint}}"),),
                  maximum=1, warn_at=0.8),
        ),
    )  # fmt: skip
