"""Lustre file systems: combinations of settings. Sizes are checked with the catalogue.

Source: AWS documentation and API model of FSx for Lustre (botocore 1.44.5).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.storage import Lustre
from clusterwright.cluster_spec.problems import Path, Problem


def problems(cluster: Cluster) -> Iterator[Problem]:
    for index, file_system in enumerate(cluster.storage.lustre):
        here: Path = ("storage", "lustre", index)
        if file_system.existing is not None:
            continue
        # These three keys determine which other keys apply.
        rests_on = tuple((*here, key) for key in ("existing", "storage_type", "deployment_type"))
        for problem in _created(file_system, here):
            yield replace(problem, rests_on=rests_on)


def _created(fs: Lustre, here: Path) -> Iterator[Problem]:
    yield from _deployment(fs, here)
    if fs.storage_type == "INTELLIGENT_TIERING":
        yield from _intelligent_tiering(fs, here)
    else:
        yield from _provisioned(fs, here)
    yield from _metadata(fs, here)
    yield from _caches(fs, here)
    yield from _backups(fs, here)


def _missing(key: str, here: Path, why: str, because: str) -> Problem:
    return Problem(
        f"`{key}` is missing: {why}", (*here, key), missing_key=True, other_path=(*here, because)
    )


def _deployment(fs: Lustre, here: Path) -> Iterator[Problem]:
    storage_type: Path = (*here, "storage_type")
    if fs.storage_type == "HDD" and fs.deployment_type != "PERSISTENT_1":
        yield Problem(
            f"HDD requires PERSISTENT_1, not {fs.deployment_type}",
            storage_type,
            hint="deployment_type: PERSISTENT_1",
            other_path=(*here, "deployment_type"),
        )
    if fs.storage_type == "INTELLIGENT_TIERING" and fs.deployment_type != "PERSISTENT_2":
        yield Problem(
            f"Intelligent-Tiering requires PERSISTENT_2, not {fs.deployment_type}",
            (*here, "deployment_type"),
            other_path=storage_type,
        )
    if fs.efa and fs.deployment_type != "PERSISTENT_2":
        yield Problem(
            f"EFA requires PERSISTENT_2, not {fs.deployment_type}",
            (*here, "efa"),
            other_path=(*here, "deployment_type"),
        )


def _intelligent_tiering(fs: Lustre, here: Path) -> Iterator[Problem]:
    for key in ("capacity_gib", "throughput_mbps_per_tib"):
        if getattr(fs, key) is not None:
            yield Problem(
                f"Intelligent-Tiering does not support {key}",
                (*here, key),
                other_path=(*here, "storage_type"),
            )
    if fs.throughput_mbps is None:
        yield _missing("throughput_mbps", here, "Intelligent-Tiering requires it", "storage_type")
    if fs.repositories:
        yield Problem(
            "Intelligent-Tiering does not support repositories",
            (*here, "repositories"),
            other_path=(*here, "storage_type"),
        )


def _provisioned(fs: Lustre, here: Path) -> Iterator[Problem]:
    if fs.capacity_gib is None:
        yield _missing("capacity_gib", here, f"{fs.storage_type} requires it", "storage_type")
    for key in ("throughput_mbps", "read_cache"):
        if getattr(fs, key) is not None:
            yield Problem(
                f"{key} requires INTELLIGENT_TIERING",
                (*here, key),
                other_path=(*here, "storage_type"),
            )
    scratch = fs.deployment_type.startswith("SCRATCH")
    if scratch and fs.throughput_mbps_per_tib is not None:
        yield Problem(
            f"{fs.deployment_type} has a fixed throughput",
            (*here, "throughput_mbps_per_tib"),
            other_path=(*here, "deployment_type"),
        )
    if not scratch and fs.throughput_mbps_per_tib is None:
        yield _missing(
            "throughput_mbps_per_tib", here, f"{fs.deployment_type} requires it", "deployment_type"
        )
    if fs.repositories and fs.deployment_type == "SCRATCH_1":
        yield Problem(
            "SCRATCH_1 does not support repositories",
            (*here, "repositories"),
            other_path=(*here, "deployment_type"),
        )


def _metadata(fs: Lustre, here: Path) -> Iterator[Problem]:
    if fs.metadata is None:
        return
    path: Path = (*here, "metadata")
    if fs.deployment_type != "PERSISTENT_2":
        yield Problem(
            "metadata settings require PERSISTENT_2", path, other_path=(*here, "deployment_type")
        )
    if (fs.metadata.mode == "provisioned") != (fs.metadata.iops is not None):
        yield Problem(
            "iops is required with mode: provisioned and not allowed otherwise",
            path,
            hint="mode: provisioned with iops, or mode: automatic without iops",
        )
    if fs.storage_type == "INTELLIGENT_TIERING" and fs.metadata.mode == "automatic":
        yield Problem(
            "Intelligent-Tiering supports only provisioned metadata IOPS",
            (*path, "mode"),
            other_path=(*here, "storage_type"),
        )


def _caches(fs: Lustre, here: Path) -> Iterator[Problem]:
    if fs.hdd_read_cache and fs.storage_type != "HDD":
        yield Problem(
            "hdd_read_cache requires HDD",
            (*here, "hdd_read_cache"),
            other_path=(*here, "storage_type"),
        )
    cache = fs.read_cache
    if cache is not None and (cache.mode == "provisioned") != (cache.capacity_gib is not None):
        yield Problem(
            "capacity_gib is required with mode: provisioned and not allowed otherwise",
            (*here, "read_cache"),
            hint="mode: provisioned with capacity_gib, or another mode without it",
        )


def _backups(fs: Lustre, here: Path) -> Iterator[Problem]:
    path: Path = (*here, "backup_retention_days")
    if not fs.backup_retention_days:
        return
    if not fs.deployment_type.startswith("PERSISTENT"):
        yield Problem(
            f"{fs.deployment_type} does not support backups",
            path,
            other_path=(*here, "deployment_type"),
        )
    elif fs.repositories:
        yield Problem(
            "a file system with repositories does not support automatic backups",
            path,
            hint="export to the repository instead",
            other_path=(*here, "repositories"),
        )
