"""Read and write a catalogue directory; files are replaced atomically."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from clusterwright import files
from clusterwright.catalog import writer
from clusterwright.catalog.store import Store

_STAGING: Final = ".refresh-"
_ABANDONED_AFTER_SECONDS: Final = 3600


def read(store: Store) -> dict[str, dict[str, Any]]:
    """Every document of a catalogue.

    Raises
    ------
    CatalogError
        A file is missing, damaged or of another version.
    """
    return {name: store.document(name) for name in writer.DEPTHS}


def write(documents: Mapping[str, Mapping[str, Any]], directory: Path) -> None:
    """Write every document; readers see old or new files, never partial ones.

    All texts are on the disk before the first file is replaced. Until the last file is, the
    sources are those of both states, so that what is left of the old one can still be read.

    Raises
    ------
    OSError
        The directory cannot be written; files that were not replaced yet are as before.
    """
    directory.mkdir(parents=True, exist_ok=True)
    _remove_abandoned(directory)
    with tempfile.TemporaryDirectory(prefix=_STAGING, dir=directory) as folder:
        staging = Path(folder)
        both = _sources_of_both(documents, directory / "sources.json")
        _put(staging / "both.json", writer.text("sources", both))
        for name, content in documents.items():
            _put(staging / f"{name}.json", writer.text(name, content))
        (staging / "both.json").replace(directory / "sources.json")
        for name in [*sorted(documents.keys() - {"sources"}), "sources"]:
            (staging / f"{name}.json").replace(directory / f"{name}.json")


def _remove_abandoned(directory: Path) -> None:
    """Remove what a process that was killed has left."""
    for folder in directory.glob(f"{_STAGING}*"):
        if time.time() - folder.stat().st_mtime > _ABANDONED_AFTER_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)


def _sources_of_both(
    documents: Mapping[str, Mapping[str, Any]], present: Path
) -> Mapping[str, Any]:
    after = documents["sources"]
    if not present.exists():
        return after
    before = json.loads(files.read_bytes(present))
    return {**after, "sources": {**before["sources"], **after["sources"]}}


def _put(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
