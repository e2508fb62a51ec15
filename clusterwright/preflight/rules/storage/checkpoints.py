"""How long a checkpoint takes on shared storage, from documented throughputs.

A checkpoint of C GiB is complete after C x 1.073741824 / min(F, N x L) x 1000 seconds: F is the
throughput of the file system in MB/s, N the nodes that write, L what one client reaches (AWS
documentation, FSx for Lustre performance; EFA-enabled file systems). It is the least time: a file
system that others use at the same moment is slower.
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
    """The shortest time that the spec allows, and its path in the spec."""

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
    """The Lustre file system that a path is on, with its place in the spec."""
    for index, fs in enumerate(file_systems):
        if within(path, fs.mount_path):
            return index, fs
    return None


def throughput_mbps(fs: Lustre, context: Context) -> float | None:
    """The throughput of a new file system in MB/s; None if no source states it."""
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
        # SCRATCH_2 is sold with the throughput that its servers' network has.
        per_tib = baseline.value
    return per_tib * fs.capacity_gib / GIB_PER_TIB


def writers(context: Context) -> list[tuple[Path, ComputeGroup, int]]:
    """The compute groups with their number of writing nodes: spares write nothing."""
    return [
        (path, group, group.count - group.spare_count)
        for path, group in context.groups()
        if group.role == "compute" and group.count > group.spare_count
    ]


def clients_mbps(context: Context, *, efa: bool) -> float:
    """What all nodes that train reach together on Lustre: not more than the file system has."""
    most = context.catalog.lustre.client_gbps["efa" if efa else "without-efa"]
    return sum(nodes for _, _, nodes in writers(context)) * most * _MBPS_PER_GBPS


def seconds_for(checkpoint_gib: float, mbps: float) -> float:
    """The least time in which a checkpoint can be written."""
    return checkpoint_gib * MB_PER_GIB / mbps


def throughput_for(checkpoint_gib: float, seconds: float) -> float:
    """The throughput in MB/s that a checkpoint needs to be whole in time."""
    return checkpoint_gib * MB_PER_GIB / seconds


def within(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or lies in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")
