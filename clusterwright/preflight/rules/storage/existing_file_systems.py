"""File systems that exist, of either kind, as rules about their network look at them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from clusterwright.aws.fsx import FileSystem
from clusterwright.cluster_spec.problems import Path
from clusterwright.preflight.rule import Context, Subject


@dataclass(frozen=True)
class ExistingFiles:
    """A file system that somebody else owns, as the spec names it."""

    id: str
    kind: str
    """LUSTRE or OPENZFS."""

    security_group_id: str
    efa: bool


def existing_files(context: Context) -> Iterator[Subject[ExistingFiles]]:
    """Every file system that exists; the path is that of its `existing`."""
    storage = context.cluster.storage
    for index, fs in enumerate(storage.lustre):
        if fs.existing is not None:
            path: Path = ("storage", "lustre", index, "existing")
            group = fs.existing.security_group_id
            yield Subject(path, ExistingFiles(fs.existing.id, "LUSTRE", group, fs.efa))
    home = storage.home
    if home is not None and home.existing is not None:
        identity = home.existing.dns_name.partition(".")[0]
        group = home.existing.security_group_id
        value = ExistingFiles(identity, "OPENZFS", group, efa=False)
        yield Subject(("storage", "home", "existing"), value)


def found_among(file_systems: Iterable[FileSystem], wanted: ExistingFiles) -> FileSystem | None:
    """The file system as the account has it; None where there is none of that id and kind."""
    return next((fs for fs in file_systems if (fs.id, fs.kind) == (wanted.id, wanted.kind)), None)
