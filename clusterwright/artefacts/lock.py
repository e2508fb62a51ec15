"""The list of artefacts: `lifecycle_scripts/artefacts.json`.

A missing checksum is `unknown`: the artefact is refused until `clusterwright artefacts pin` adds
the checksum to the file, a change that is reviewed like any other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from clusterwright import files

UNKNOWN: Final = "unknown"
SCHEMA_VERSION: Final = 1

_NAME = re.compile(r"[a-z0-9][a-z0-9._+-]{0,63}")
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+~:-]{0,63}")
_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+~-]{0,127}")
_URL = re.compile(r"https://[a-z0-9.-]+(?::[0-9]+)?/[^\s#?]*[^\s#?/]")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_ARCHITECTURES = ("x86_64", "arm64", "any")
_KEYS = ("name", "version", "architecture", "url", "sha256", "size_bytes", "source", "used_by")


class LockError(Exception):
    """The list is not valid; `problems` has the positions and reasons."""

    def __init__(self, path: Path, problems: Sequence[str]) -> None:
        super().__init__(f"{path}: {problems[0]}")
        self.path = path
        self.problems = tuple(problems)


@dataclass(frozen=True)
class Artefact:
    """A file. `sha256` and `size_bytes` are None if unknown.

    `source` is the source of name, version and URL; `used_by` has the node steps that install it.
    """

    name: str
    version: str
    architecture: str
    url: str
    sha256: str | None
    size_bytes: int | None
    source: str
    used_by: tuple[str, ...]

    @property
    def file_name(self) -> str:
        """Return the last part of the URL."""
        return self.url.rpartition("/")[2]

    @property
    def label(self) -> str:
        """Return its label in messages: name, version, architecture."""
        return f"{self.name} {self.version} ({self.architecture})"


def read_lock(path: Path) -> tuple[Artefact, ...]:
    """Return the artefacts in the order of the file.

    Raises
    ------
    LockError
        The file is missing or not valid; all problems are included.
    """
    try:
        document = json.loads(files.read_text(path), object_pairs_hook=_no_duplicates)
    except FileNotFoundError:
        raise LockError(path, ["the file does not exist"]) from None
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise LockError(path, [reason]) from error
    problems: list[str] = []
    found = _parse(document, problems)
    if problems:
        raise LockError(path, problems)
    return found


def write_lock(path: Path, artefacts: Sequence[Artefact]) -> None:
    """Replace the file atomically.

    Raises
    ------
    OSError
        It cannot be written, and is as before.
    """
    rows = [
        {
            "name": each.name,
            "version": each.version,
            "architecture": each.architecture,
            "url": each.url,
            "sha256": each.sha256 or UNKNOWN,
            "size_bytes": UNKNOWN if each.size_bytes is None else each.size_bytes,
            "source": each.source,
            "used_by": list(each.used_by),
        }
        for each in artefacts
    ]
    text = json.dumps({"schema_version": SCHEMA_VERSION, "artefacts": rows}, indent=2) + "\n"
    files.write_atomically(path.resolve(), text)


def pinned(artefact: Artefact, sha256: str, size_bytes: int) -> Artefact:
    """Return the artefact with the checksum and size of a downloaded file."""
    return replace(artefact, sha256=sha256, size_bytes=size_bytes)


def object_key(artefact: Artefact) -> str:
    """Return the key of the file in the bucket; it contains the checksum, so no version overwrites
    another.

    Raises
    ------
    ValueError
        Its checksum is unknown.
    """
    if artefact.sha256 is None:
        raise ValueError(f"the checksum of {artefact.label} is unknown")
    return f"artefacts/{artefact.sha256}/{artefact.file_name}"


def _parse(document: Any, problems: list[str]) -> tuple[Artefact, ...]:
    if not isinstance(document, dict) or set(document) != {"schema_version", "artefacts"}:
        problems.append("expected the keys schema_version and artefacts")
        return ()
    if document["schema_version"] != SCHEMA_VERSION:
        problems.append(f"schema_version is not {SCHEMA_VERSION}")
        return ()
    if not isinstance(document["artefacts"], list):
        problems.append("artefacts is not a list")
        return ()
    found = []
    for index, row in enumerate(document["artefacts"]):
        where = f"artefacts[{index}]"
        if not isinstance(row, dict) or set(row) != set(_KEYS):
            problems.append(f"{where}: expected the keys {', '.join(_KEYS)}")
            continue
        wrong = [f"{where}.{key}: {row[key]!r} is not {what}" for key, what in _wrong(row)]
        problems += wrong
        if not wrong:
            found.append(
                Artefact(
                    row["name"],
                    row["version"],
                    row["architecture"],
                    row["url"],
                    None if row["sha256"] == UNKNOWN else row["sha256"],
                    None if row["size_bytes"] == UNKNOWN else row["size_bytes"],
                    row["source"],
                    tuple(row["used_by"]),
                )
            )
    seen = set()
    for each in found:
        if (each.name, each.architecture) in seen:
            problems.append(f"duplicate artefact {each.name} for {each.architecture}")
        seen.add((each.name, each.architecture))
    return tuple(found)


def _wrong(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    def matches(key: str, pattern: re.Pattern[str]) -> bool:
        return isinstance(row[key], str) and pattern.fullmatch(row[key]) is not None

    found = []
    if not matches("name", _NAME):
        found.append(("name", "a name"))
    if not matches("version", _VERSION):
        found.append(("version", "a version"))
    if row["architecture"] not in _ARCHITECTURES:
        found.append(("architecture", f"one of {', '.join(_ARCHITECTURES)}"))
    if not matches("url", _URL) or _FILE.fullmatch(row["url"].rpartition("/")[2]) is None:
        found.append(("url", "an https address of a file"))
    if row["sha256"] != UNKNOWN and not matches("sha256", _SHA256):
        found.append(("sha256", "64 hexadecimal digits or unknown"))
    size = row["size_bytes"]
    if size != UNKNOWN and (not isinstance(size, int) or isinstance(size, bool) or size < 1):
        found.append(("size_bytes", "a number of bytes or unknown"))
    if (row["sha256"] == UNKNOWN) != (size == UNKNOWN):
        found.append(("size_bytes", "known if and only if sha256 is known"))
    if not isinstance(row["source"], str) or not row["source"].strip():
        found.append(("source", "the source of this entry"))
    used = row["used_by"]
    if not isinstance(used, list) or not used or not all(isinstance(x, str) for x in used):
        found.append(("used_by", "a list of node steps"))
    return found


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"{key} is written twice")
        found[key] = value
    return found
