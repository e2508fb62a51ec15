"""Puts into the cluster's bucket what nodes will ask it for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from clusterwright.artefacts.download import DownloadError, Open, WrongFileError, download
from clusterwright.artefacts.lock import Artefact, object_key, pinned

Status = Literal["present", "mirrored", "pinned", "refused", "wrong", "failed"]


class Store(Protocol):
    """A bucket."""

    def has(self, key: str, size_bytes: int) -> bool:
        """Whether an object of that name and size is there."""

    def put(self, key: str, path: Path, sha256: str) -> None:
        """Uploads a file; the service holds it against the checksum."""


@dataclass(frozen=True)
class Outcome:
    """What became of one artefact. `artefact` carries what was pinned; `key` is None without it.

    `refused`: its checksum is unknown and nobody asked to pin it. `wrong`: the source has another
    file than the listed one. `failed`: the source does not answer.
    """

    artefact: Artefact
    status: Status
    key: str | None
    reason: str | None = None


def mirror(
    artefacts: Sequence[Artefact],
    store: Store,
    folder: Path,
    *,
    pin: bool = False,
    open_url: Open | None = None,
) -> Iterator[Outcome]:
    """One outcome after the other; one that fails does not stop the next.

    Parameters
    ----------
    folder:
        Where files are kept between runs.
    pin:
        Take what an unlisted checksum turns out to be. The caller writes it to the list.
    """
    for artefact in artefacts:
        if artefact.sha256 is None and not pin:
            yield Outcome(artefact, "refused", None, "its checksum is unknown")
            continue
        try:
            yield _one(artefact, store, folder, open_url)
        except DownloadError as error:
            status: Status = "wrong" if isinstance(error, WrongFileError) else "failed"
            yield Outcome(artefact, status, None, str(error))


def _one(artefact: Artefact, store: Store, folder: Path, open_url: Open | None) -> Outcome:
    if artefact.sha256 is not None and artefact.size_bytes is not None:
        key = object_key(artefact)
        if store.has(key, artefact.size_bytes):
            return Outcome(artefact, "present", key)
    found = download(artefact, folder, open_url)
    status: Status = "mirrored" if artefact.sha256 is not None else "pinned"
    known = pinned(artefact, found.sha256, found.size_bytes)
    key = object_key(known)
    if not store.has(key, found.size_bytes):
        store.put(key, found.path, found.sha256)
    return Outcome(known, status, key)
