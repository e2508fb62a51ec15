"""Upload of the artefacts that nodes download to the cluster's bucket."""

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
        """Return whether an object of that name and size exists."""

    def put(self, key: str, path: Path, sha256: str) -> None:
        """Upload a file; the service verifies the checksum."""


@dataclass(frozen=True)
class Outcome:
    """The outcome for an artefact. `artefact` has the pinned checksum; `key` is None without one.

    `refused`: its checksum is unknown and `pin` is false. `wrong`: the file at the source does not
    match the list. `failed`: the source is not reachable.
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
    """Yield the outcomes in order; a failure does not stop the next.

    Parameters
    ----------
    folder:
        Folder of the files, kept between runs.
    pin:
        Accept the checksum of a file that has none in the list; the caller writes it to the list.
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
