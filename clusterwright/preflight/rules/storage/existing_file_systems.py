"""Existing file systems of both kinds, for the rules about their network."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from clusterwright.aws.fsx import FileSystem
from clusterwright.cluster_spec.problems import Path
from clusterwright.preflight.rule import Context, Subjects


@dataclass(frozen=True)
class ExistingFileSystem:
    """An existing file system of the spec."""

    id: str
    kind: str
    """LUSTRE or OPENZFS."""

    security_group_id: str
    efa: bool


def existing_file_systems(context: Context) -> Subjects[ExistingFileSystem]:
    """Every existing file system, at the path of its `existing`."""
    storage = context.cluster.storage
    for index, fs in enumerate(storage.lustre):
        if fs.existing is not None:
            path: Path = ("storage", "lustre", index, "existing")
            group = fs.existing.security_group_id
            yield path, ExistingFileSystem(fs.existing.id, "LUSTRE", group, fs.efa)
    home = storage.home
    if home is not None and home.existing is not None:
        identity = home.existing.dns_name.partition(".")[0]
        group = home.existing.security_group_id
        value = ExistingFileSystem(identity, "OPENZFS", group, efa=False)
        yield ("storage", "home", "existing"), value


def find_file_system(
    file_systems: Iterable[FileSystem], wanted: ExistingFileSystem
) -> FileSystem | None:
    """The file system in the account; None if none has that id and kind."""
    return next((fs for fs in file_systems if (fs.id, fs.kind) == (wanted.id, wanted.kind)), None)
