"""Which values of a Lustre file system belong together. Sizes and steps are the catalogue's."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.spec.consistency.identifiers import within
from clusterwright.spec.models.cluster import Cluster
from clusterwright.spec.models.storage import Lustre
from clusterwright.spec.problems import Path, Problem


def problems(cluster: Cluster) -> Iterator[Problem]:
    for index, file_system in enumerate(cluster.storage.lustre):
        here: Path = ("storage", "lustre", index)
        if file_system.existing is not None:
            yield from _existing(file_system, here)
            continue
        yield from _kind(file_system, here)
        yield from _details(file_system, here)
        yield from _repositories(file_system, here)


def _existing(fs: Lustre, here: Path) -> Iterator[Problem]:
    allowed = {"name", "mount_path", "existing", "efa"}
    for field in sorted(fs.model_fields_set - allowed):
        yield Problem(
            f"`{field}` would alter a file system that exists; it is only mounted",
            (*here, field),
            other_path=(*here, "existing"),
        )


def _kind(fs: Lustre, here: Path) -> Iterator[Problem]:
    tiering = fs.storage_type == "INTELLIGENT_TIERING"
    if tiering:
        if fs.deployment_type != "PERSISTENT_2":
            yield Problem(
                f"Intelligent-Tiering is PERSISTENT_2, not {fs.deployment_type}",
                (*here, "deployment_type"),
            )
        for field in ("capacity_gib", "throughput_mbps_per_tib"):
            if getattr(fs, field) is not None:
                yield Problem(f"Intelligent-Tiering takes no {field}", (*here, field))
        if fs.throughput_mbps is None:
            yield Problem("Intelligent-Tiering needs throughput_mbps", here)
    else:
        if fs.capacity_gib is None:
            yield Problem("capacity_gib is missing", here)
        for field in ("throughput_mbps", "read_cache"):
            if getattr(fs, field) is not None:
                yield Problem(f"{field} belongs to INTELLIGENT_TIERING", (*here, field))
        scratch = fs.deployment_type.startswith("SCRATCH")
        if scratch and fs.throughput_mbps_per_tib is not None:
            yield Problem(
                f"{fs.deployment_type} has a fixed throughput", (*here, "throughput_mbps_per_tib")
            )
        if not scratch and fs.throughput_mbps_per_tib is None:
            yield Problem(f"{fs.deployment_type} needs throughput_mbps_per_tib", here)
    if fs.storage_type == "HDD" and fs.deployment_type != "PERSISTENT_1":
        yield Problem(f"HDD is PERSISTENT_1, not {fs.deployment_type}", (*here, "storage_type"))


def _details(fs: Lustre, here: Path) -> Iterator[Problem]:
    if fs.hdd_read_cache and fs.storage_type != "HDD":
        yield Problem("hdd_read_cache belongs to HDD", (*here, "hdd_read_cache"))
    if fs.metadata is not None:
        if fs.deployment_type != "PERSISTENT_2":
            yield Problem("metadata settings need PERSISTENT_2", (*here, "metadata"))
        if (fs.metadata.mode == "provisioned") != (fs.metadata.iops is not None):
            yield Problem(
                "iops is given exactly when mode is provisioned",
                (*here, "metadata"),
                hint="mode: provisioned with iops, or mode: automatic without",
            )
        if fs.storage_type == "INTELLIGENT_TIERING" and fs.metadata.mode == "automatic":
            yield Problem(
                "Intelligent-Tiering takes provisioned metadata IOPS only",
                (*here, "metadata", "mode"),
            )
    cache = fs.read_cache
    if cache is not None and (cache.mode == "provisioned") != (cache.capacity_gib is not None):
        yield Problem(
            "capacity_gib is given exactly when mode is provisioned", (*here, "read_cache")
        )
    if fs.backup_retention_days and not fs.deployment_type.startswith("PERSISTENT"):
        yield Problem(f"{fs.deployment_type} takes no backups", (*here, "backup_retention_days"))
    elif fs.backup_retention_days and fs.repositories:
        yield Problem(
            "a file system with repositories takes no automatic backups",
            (*here, "backup_retention_days"),
            hint="export to the repository instead",
            other_path=(*here, "repositories"),
        )


def _repositories(fs: Lustre, here: Path) -> Iterator[Problem]:
    if fs.repositories and fs.deployment_type == "SCRATCH_1":
        yield Problem("SCRATCH_1 takes no repositories", (*here, "repositories"))
    if fs.repositories and fs.storage_type == "INTELLIGENT_TIERING":
        yield Problem("Intelligent-Tiering takes no repositories", (*here, "repositories"))
    for index, repository in enumerate(fs.repositories):
        path = (*here, "repositories", index)
        for kind, events in (
            ("import", repository.import_events),
            ("export", repository.export_events),
        ):
            if len(set(events)) != len(events):
                yield Problem("an event is listed twice", (*path, kind))
        for earlier in range(index):
            other = fs.repositories[earlier]
            if within(repository.path, other.path) or within(other.path, repository.path):
                yield Problem(
                    f"{repository.path} and {other.path} overlap: repositories share no files",
                    (*path, "path"),
                    other_path=(*here, "repositories", earlier, "path"),
                )
            if within(repository.s3, other.s3) or within(other.s3, repository.s3):
                yield Problem(
                    f"{repository.s3} and {other.s3} overlap in the bucket",
                    (*path, "s3"),
                    other_path=(*here, "repositories", earlier, "s3"),
                )
