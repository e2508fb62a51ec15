"""The files of the node program on a node: what was installed, and what is there now.

The node program records what it installs, with the digest of its version. The same function gives
that digest when the scripts are uploaded (`UPLOADED`), so versions can be compared from outside.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from clusterwright_common import records

ROOT = "/opt/clusterwright"
FOLDERS = ("lib", "scripts")
"""Below `ROOT`: installed packages, and the copy of the lifecycle scripts."""
RECORDS = "/var/lib/clusterwright/installed"
"""One file for each installed package, and one for the copy."""
UPLOADED = "program.sha256"
"""The digest of the uploaded program, beside it."""
SCHEMA_VERSION = 1
MOST_CHANGES = 20
MOST_IN_SHORT = 3
_SUFFIXES = (".py", ".json")
_TABLES = "clusterwright"
"""Compute nodes of ParallelCluster and PCS have scripts without this package."""


def is_compared(name: str) -> bool:
    """Whether a file, by its path below one of `FOLDERS`, is one of the program.

    Python's caches, temporary files, shell scripts and the inputs beside the packages are not.
    """
    parts = name.split("/")
    if any(part.startswith(".") or part == "__pycache__" for part in parts):
        return False
    return name.endswith(_SUFFIXES if len(parts) > 1 else ".py")


def version(contents: Mapping[str, bytes]) -> str:
    """The digest of a version of the program; `contents` are the files of its folder by path."""
    digest = hashlib.sha256()
    for name in sorted(contents):
        package, slash, _ = name.partition("/")
        if slash and package != _TABLES and is_compared(name):
            digest.update(f"{name}\0{len(contents[name])}\0".encode())
            digest.update(contents[name])
    return digest.hexdigest()


def record(folder: str, program_sha256: str, texts: Mapping[str, str]) -> str:
    """The text of a record: the digests of `texts`, by path below `folder` of `ROOT`."""
    files = {name: _sha256(text.encode()) for name, text in texts.items() if is_compared(name)}
    content = {
        "schema_version": SCHEMA_VERSION,
        "program_sha256": program_sha256,
        "folder": folder,
        "files": files,
    }
    return json.dumps(content, indent=1, sort_keys=True) + "\n"


@dataclass(frozen=True)
class Installed:
    """What a node has.

    Attributes
    ----------
    versions:
        What was installed from each version of the program, by its digest: usually one.
    changes:
        Files that are not as they were installed: `path`, `sha256` and `recorded_sha256`; a file
        without the first was removed, one without the second was added.
    """

    versions: Mapping[str, list[str]]
    changes: list[dict[str, Optional[str]]]

    def to_json(self) -> dict[str, Any]:
        return {
            "versions": self.versions,
            "changes": self.changes[:MOST_CHANGES],
            "changes_count": len(self.changes),
        }

    def in_short(self) -> dict[str, Any]:
        """The digest of the version, null if there are several; the first changes if any."""
        found: dict[str, Any] = {"sha256": None}
        if len(self.versions) == 1:
            (found["sha256"],) = self.versions
        if self.changes:
            found.update(changes=self.changes[:MOST_IN_SHORT], changes_count=len(self.changes))
        return found


def read(root: Path) -> Optional[Installed]:
    """Compare the files with the records, below the root of a machine; None without records.

    Raises
    ------
    OSError
        A file cannot be read.
    """
    versions: dict[str, list[str]] = {}
    recorded: dict[str, str] = {}
    for path in sorted((root / RECORDS.lstrip("/")).glob("*.json")):
        found = records.read(path)
        files = found.get("files")
        if found.get("schema_version") != SCHEMA_VERSION or not isinstance(files, dict):
            continue
        folder = str(found.get("folder"))
        versions.setdefault(str(found.get("program_sha256")), []).append(path.stem)
        recorded.update({f"{ROOT}/{folder}/{name}": str(one) for name, one in files.items()})
    if not versions:
        return None
    there = dict(_files(root))
    changes = [
        {"path": path, "sha256": there.get(path), "recorded_sha256": recorded.get(path)}
        for path in sorted({*there, *recorded})
        if there.get(path) != recorded.get(path)
    ]
    return Installed(versions, changes)


def is_short(value: Any) -> bool:
    """Whether a value, which may come from a copy, is as of `Installed.in_short`."""
    if not isinstance(value, dict) or not isinstance(value.get("sha256"), (str, type(None))):
        return False
    changes = value.get("changes", [])
    keys = ("sha256", "recorded_sha256")
    return (
        isinstance(changes, list)
        and isinstance(value.get("changes_count", 0), int)
        and all(
            isinstance(one, dict)
            and isinstance(one.get("path"), str)
            and all(isinstance(one.get(key), (str, type(None))) for key in keys)
            for one in changes
        )
    )


def _files(root: Path) -> Iterator[tuple[str, str]]:
    for folder in FOLDERS:
        top = root / ROOT.lstrip("/") / folder
        for path in sorted(top.rglob("*")):
            name = path.relative_to(top).as_posix()
            if is_compared(name) and path.is_file():
                with contextlib.suppress(FileNotFoundError):  # an installation may be in progress
                    yield f"{ROOT}/{folder}/{name}", _sha256(path.read_bytes())


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
