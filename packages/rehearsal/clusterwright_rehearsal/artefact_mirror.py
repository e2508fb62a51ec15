"""Puts into the emulated bucket what the nodes of an assembly will fetch, as a user would.

What they will fetch is read where they read it: in the assembly's cluster.json.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clusterwright.artefacts.lock import LockError, read_lock
from clusterwright.artefacts.mirror import Outcome, mirror
from clusterwright.cluster_spec import repository
from clusterwright_rehearsal.errors import RehearsalError

CACHE = Path(".clusterwright/artefacts")
"""Where `clusterwright artefacts mirror` keeps files, from the root of the repository."""


@dataclass(frozen=True)
class Wanted:
    """The `artefacts` of an assembly's cluster.json: the bucket, and (name, architecture)."""

    bucket: str
    files: frozenset[tuple[str, str]]


def wanted(assembly: Path) -> Wanted | None:
    """What nodes of this assembly fetch; None where they fetch nothing."""
    for path in assembly.glob("asset.*/cluster.json"):
        artefacts = json.loads(path.read_text()).get("artefacts")
        if artefacts:
            names = frozenset((row["name"], row["architecture"]) for row in artefacts["files"])
            return Wanted(artefacts["bucket"], names)
    return None


def bring(s3: Any, found: Wanted, lock: Path, cache: Path | None = None) -> list[Outcome]:
    """Mirror them to the bucket. What cannot be had, or has no checksum, is among the outcomes.

    Raises
    ------
    RehearsalError
        The list of artefacts cannot be read.
    """
    try:
        listed = read_lock(lock)
    except LockError as error:
        raise RehearsalError(str(error)) from error
    chosen = [each for each in listed if (each.name, each.architecture) in found.files]
    folder = cache or (repository.root() or Path.cwd()) / CACHE
    return list(mirror(chosen, _Bucket(s3, found.bucket), folder))


def said(outcomes: list[Outcome]) -> list[str]:
    """What the verdict has to say of those that are not in the bucket now."""
    return [
        f"not in the emulated bucket: {each.artefact.label}: {each.reason}"
        for each in outcomes
        if each.status not in ("present", "mirrored", "pinned")
    ]


def lock_of(spec: Mapping[str, Any]) -> Path:
    """The list that a resolved spec names."""
    return repository.file(spec["lifecycle"]["artefacts"])


class _Bucket:
    def __init__(self, s3: Any, name: str) -> None:
        self._s3, self._name = s3, name

    def has(self, key: str, size_bytes: int) -> bool:
        found = self._s3.list_objects_v2(Bucket=self._name, Prefix=key).get("Contents", ())
        return any(row["Key"] == key and row["Size"] == size_bytes for row in found)

    def put(self, key: str, path: Path, sha256: str) -> None:
        del sha256  # the nodes look
        self._s3.put_object(Bucket=self._name, Key=key, Body=path.read_bytes())
