"""Duration of a checkpoint on shared storage, from documented throughputs.

A checkpoint of C GiB is complete after C x 1.073741824 / min(F, N x L) x 1000 seconds: F is the
throughput of the file system in MB/s, N the number of nodes that write, L the throughput of one
client (AWS documentation, FSx for Lustre performance; EFA-enabled file systems). It is the
minimum: a file system that others use at the same time is slower.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from clusterwright.catalog import Known
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.models.storage import Lustre
from clusterwright.cluster_spec.problems import Path
from clusterwright.preflight.rule import Context

MB_PER_GIB: Final = 1024**3 / 10**6
GIB_PER_TIB: Final = 1024
_MBPS_PER_GBPS: Final = 1000 / 8


@dataclass(frozen=True)
class Limit:
    """The shortest time limit in the spec, and its path."""

    path: Path
    seconds: float
    words: str


def limit_of(context: Context) -> Limit | None:
    """The time limit for a checkpoint; None if the spec sets none."""
    run = context.cluster.run
    if run is None or run.checkpoint_gib is None:
        return None
    found = []
    if run.max_checkpoint_seconds is not None:
        seconds = run.max_checkpoint_seconds
        found.append(Limit(("run", "max_checkpoint_seconds"), seconds, f"{seconds:,.10g} s"))
    if run.checkpoint_interval_minutes is not None:
        minutes = run.checkpoint_interval_minutes
        words = f"the next one begins after {minutes:,.10g} min"
        found.append(Limit(("run", "checkpoint_interval_minutes"), minutes * 60, words))
    return min(found, key=lambda limit: limit.seconds, default=None)


def lustre_of(path: str, file_systems: Iterable[Lustre]) -> tuple[int, Lustre] | None:
    """Return the Lustre file system that a path is on, with its index in the spec."""
    for index, fs in enumerate(file_systems):
        if within(path, fs.mount_path):
            return index, fs
    return None


def throughput_mbps(fs: Lustre, context: Context) -> float | None:
    """Return the throughput of a new file system in MB/s; None if no source states it."""
    if fs.throughput_mbps is not None:
        return fs.throughput_mbps
    if fs.capacity_gib is None:
        return None
    per_tib = fs.throughput_mbps_per_tib
    if per_tib is None:
        tier = context.catalog.lustre.tier(fs.deployment_type, fs.storage_type)
        baseline = tier.network_baseline_mbps_per_tib if tier is not None else None
        if not isinstance(baseline, Known):
            return None
        # The throughput of SCRATCH_2 is that of its servers' network.
        per_tib = baseline.value
    return per_tib * fs.capacity_gib / GIB_PER_TIB


def writers(context: Context) -> list[tuple[Path, ComputeGroup, int]]:
    """Return the compute groups with their number of writing nodes: spares do not write."""
    return [
        (path, group, group.count - group.spare_count)
        for path, group in context.groups()
        if group.role == "compute" and group.count > group.spare_count
    ]


def clients_mbps(context: Context, *, efa: bool) -> float:
    """Return the throughput of all training nodes together, at most that of the file system."""
    most = context.catalog.lustre.client_gbps["efa" if efa else "without-efa"]
    return sum(nodes for _, _, nodes in writers(context)) * most * _MBPS_PER_GBPS


def seconds_for(checkpoint_gib: float, mbps: float) -> float:
    """Return the minimum time in which a checkpoint can be written."""
    return checkpoint_gib * MB_PER_GIB / mbps


def throughput_for(checkpoint_gib: float, seconds: float) -> float:
    """Return the throughput in MB/s that a checkpoint needs to be complete in time."""
    return checkpoint_gib * MB_PER_GIB / seconds


def is_exported(path: str, fs: Lustre) -> bool:
    """Return whether a repository of a file system exports new files of a path on the node."""
    inside = path.removeprefix(fs.mount_path) or "/"
    return any(
        within(inside, repository.path)
        for repository in fs.repositories
        if "NEW" in repository.export_events
    )


def within(path: str, folder: str) -> bool:
    """Return whether `path` is `folder` or inside it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")
