"""Which of FSx's quotas a Lustre file system counts against.

Source: AWS General Reference, FSx for Lustre quotas.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clusterwright.aws.fsx import FileSystem
from clusterwright.cluster_spec.models.storage import Lustre
from clusterwright.preflight.context import Context
from clusterwright.preflight.rule import Subject

CAPACITY_CODES = {
    "PERSISTENT_2": "L-8F1B9C74",
    "PERSISTENT_1": "L-C8640C82",
    "SCRATCH": "L-AD2FC696",
}
COUNT_CODES = {
    "PERSISTENT_2": "L-FD6F2F22",
    "PERSISTENT_1": "L-9AFA1F09",
    "SCRATCH": "L-C48231E5",
}


def class_of(deployment_type: str) -> str:
    """PERSISTENT_2, PERSISTENT_1 or SCRATCH, as the quotas divide file systems."""
    return "SCRATCH" if deployment_type.startswith("SCRATCH") else deployment_type


def built(context: Context) -> Iterator[Subject[Lustre]]:
    """File systems that the spec builds."""
    for index, fs in enumerate(context.cluster.storage.lustre):
        if fs.existing is None:
            yield Subject(("storage", "lustre", index), fs)


def standing(file_systems: Iterable[FileSystem], kind: str) -> list[FileSystem]:
    """File systems of one kind that hold quota: those that failed do not."""
    return [fs for fs in file_systems if fs.kind == kind and fs.lifecycle != "FAILED"]
