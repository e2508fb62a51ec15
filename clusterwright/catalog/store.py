"""Read the data files on demand, from the package or from a directory."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any, Final

from clusterwright import files
from clusterwright.catalog.errors import CatalogError
from clusterwright.catalog.facts import Fact, Known, Unknown

SCHEMA_VERSION: Final = 1
PACKAGE_DATA: Final = Path(__file__).parent / "data"


class Store:
    """The documents of one catalogue directory, parsed once each.

    Raises
    ------
    CatalogError
        By every method, when a file is missing, damaged or of another version.
    """

    def __init__(self, directory: Path | None = None) -> None:
        self.directory = directory or PACKAGE_DATA
        self._documents: dict[str, dict[str, Any]] = {}
        self._lock = threading.Lock()

    def document(self, name: str) -> dict[str, Any]:
        """The content of `<name>.json`."""
        with self._lock:
            if name not in self._documents:
                self._documents[name] = self._read(name)
            return self._documents[name]

    def source(self, source: str) -> tuple[str, str]:
        """Title and date of a source id."""
        try:
            title, date = self.document("sources")["sources"][source]
        except KeyError:
            raise CatalogError(
                f"{self.directory / 'sources.json'} has no source {source!r}"
            ) from None
        return title, date

    def fact(self, written: Any, record_source: str | None = None) -> Fact[Any]:
        """A cell of a data file (see `cells.py`) as a `Known` or an `Unknown`."""
        if not isinstance(written, dict):
            assert record_source is not None
            return Known(written, *self.source(record_source))
        if "unknown" in written:
            return Unknown(written["unknown"])
        title, date = self.source(written["source"])
        return Known(
            written["value"],
            title,
            date,
            written.get("note", ""),
            written.get("derived", False),
        )

    def _read(self, name: str) -> dict[str, Any]:
        path = self.directory / f"{name}.json"
        try:
            content = json.loads(files.read_bytes(path))
        except OSError as error:
            raise CatalogError(
                f"{path} cannot be read: {error.strerror}",
                "`clusterwright catalog refresh --output DIR` writes a catalogue directory",
            ) from error
        except (ValueError, RecursionError) as error:
            raise CatalogError(f"{path} is damaged: {error}") from error
        if not isinstance(content, dict) or content.get("schema_version") != SCHEMA_VERSION:
            raise CatalogError(
                f"{path} does not have version {SCHEMA_VERSION}",
                "write it with this version: `clusterwright catalog refresh --output DIR`",
            )
        return content
