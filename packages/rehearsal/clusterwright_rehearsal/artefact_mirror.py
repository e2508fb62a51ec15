"""Mirror the artefacts that the nodes of an assembly download to the emulated bucket.

The list is read from the same file that the nodes read: cluster.json of the assembly.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clusterwright.artefacts.lock import LockError, read_lock
from clusterwright.artefacts.mirror import Outcome, mirror
from clusterwright.cluster_spec import repository_root
from clusterwright_rehearsal.errors import RehearsalError

CACHE = Path(".clusterwright/artefacts")
"""The cache of `clusterwright artefacts mirror`, relative to the root of the repository."""


@dataclass(frozen=True)
class NeededArtefacts:
    """The `artefacts` of an assembly's cluster.json: the bucket, and (name, architecture)."""

    bucket: str
    files: frozenset[tuple[str, str]]


def needed_artefacts(assembly: Path) -> NeededArtefacts | None:
    """The artefacts that nodes of this assembly download; None if there are none."""
    for path in assembly.glob("asset.*/cluster.json"):
        artefacts = json.loads(path.read_text()).get("artefacts")
        if artefacts:
            names = frozenset((row["name"], row["architecture"]) for row in artefacts["files"])
            return NeededArtefacts(artefacts["bucket"], names)
    return None


def mirror_to_bucket(
    s3: Any, needed: NeededArtefacts, lock: Path, cache: Path | None = None
) -> list[Outcome]:
    """Mirror artefacts to the bucket; unavailable ones and missing checksums are in the result.

    Raises
    ------
    RehearsalError
        The lock file cannot be read.
    """
    try:
        listed = read_lock(lock)
    except LockError as error:
        raise RehearsalError(str(error)) from error
    chosen = [
        artefact for artefact in listed if (artefact.name, artefact.architecture) in needed.files
    ]
    folder = cache or (repository_root.root() or Path.cwd()) / CACHE
    return list(mirror(chosen, _Bucket(s3, needed.bucket), folder))


def missing_notes(outcomes: list[Outcome]) -> list[str]:
    """Notes for the verdict about artefacts that are not in the bucket."""
    return [
        f"not in the emulated bucket: {outcome.artefact.label}: {outcome.reason}"
        for outcome in outcomes
        if outcome.status not in ("present", "mirrored", "pinned")
    ]


def lock_path(spec: Mapping[str, Any]) -> Path:
    """The lock file of artefacts that a resolved spec refers to."""
    return repository_root.file(spec["lifecycle"]["artefacts"])


class _Bucket:
    def __init__(self, s3: Any, name: str) -> None:
        self._s3, self._name = s3, name

    def has(self, key: str, size_bytes: int) -> bool:
        found = self._s3.list_objects_v2(Bucket=self._name, Prefix=key).get("Contents", ())
        return any(row["Key"] == key and row["Size"] == size_bytes for row in found)

    def put(self, key: str, path: Path, sha256: str) -> None:
        del sha256  # verified by the nodes
        self._s3.put_object(Bucket=self._name, Key=key, Body=path.read_bytes())
