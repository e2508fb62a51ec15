"""The saving of deleting a file system."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.models import Cluster
from clusterwright.cluster_spec.problems import Path, path_text
from clusterwright.cost.bill import Bill
from clusterwright.cost.bill_extras import FileSystemRef, Saving


def file_systems(cluster: Cluster) -> Iterator[FileSystemRef]:
    """Every file system of the spec."""
    for index, fs in enumerate(cluster.storage.lustre):
        here: Path = ("storage", "lustre", index)
        existing = fs.existing.id if fs.existing is not None else None
        yield FileSystemRef(
            fs.name or "", fs.mount_path, "lustre", here, fs.existing is not None, existing
        )
    home = cluster.storage.home
    if home is not None:
        yield FileSystemRef(
            "home", home.mount_path, "openzfs", ("storage", "home"), home.existing is not None
        )


def find_file_system(cluster: Cluster, text: str) -> FileSystemRef | None:
    """The file system with a name, a mount path, or the id of an existing one."""
    wanted = text.rstrip("/") or text
    for storage in file_systems(cluster):
        if wanted in (storage.name, storage.mount_path, storage.existing_id):
            return storage
    return None


def saving(bill: Bill, storage: FileSystemRef) -> Saving:
    """The lines of the bill that belong to the file system."""
    prefix = path_text(storage.path)
    lines = tuple(
        line
        for line in bill.lines
        if not line.by_use and (line.path == prefix or line.path.startswith(f"{prefix}."))
    )
    return Saving(storage, lines)
