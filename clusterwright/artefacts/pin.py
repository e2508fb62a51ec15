"""Checksums of the listed artefacts, read from their sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from clusterwright.artefacts.download import DownloadError, Open, WrongFileError, download
from clusterwright.artefacts.lock import Artefact, pinned


@dataclass(frozen=True)
class Pinned:
    """The outcome for an artefact, which has the checksum and size of the file at its source.

    `pinned`: the list had no checksum. `verified`: the file matches the list. `wrong`: it does
    not; the artefact is that of the list. `failed`: the source is not reachable.
    """

    artefact: Artefact
    status: Literal["pinned", "verified", "wrong", "failed"]
    reason: str | None = None


def pin(
    artefacts: Sequence[Artefact], folder: Path, *, open_url: Open | None = None
) -> Iterator[Pinned]:
    """Yield the outcomes in order; a failure does not stop the next.

    Parameters
    ----------
    folder:
        Folder of the files, kept between runs; `mirror` uses it too.
    """
    for artefact in artefacts:
        try:
            found = download(artefact, folder, open_url)
        except DownloadError as error:
            wrong = isinstance(error, WrongFileError)
            yield Pinned(artefact, "wrong" if wrong else "failed", str(error))
            continue
        known = pinned(artefact, found.sha256, found.size_bytes)
        yield Pinned(known, "pinned" if artefact.sha256 is None else "verified")
