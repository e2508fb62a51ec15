"""Atomic files: written under another name, synced, renamed."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

_CHUNK = 8 * 1024 * 1024


class Unsuitable(Exception):
    """The folder is not a checkpoint, or changed while it was copied."""


def regular_files(folder: Path) -> Iterator[Path]:
    """Every file below `folder`, in order.

    Raises
    ------
    Unsuitable
        It has something other than files and folders.
    """
    for entry in sorted(os.scandir(folder), key=lambda found: found.name):
        path = Path(entry.path)
        if entry.is_dir(follow_symlinks=False):
            yield from regular_files(path)
        elif entry.is_file(follow_symlinks=False):
            yield path
        else:
            raise Unsuitable(f"{path} is neither a file nor a folder")


def copy(source: Path, target: Path) -> dict[str, object]:
    """Copy a file atomically; return its size and SHA-256.

    Raises
    ------
    Unsuitable
        The file changed meanwhile, or the target exists with other content.
    """
    handle = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as reading:
        before = os.fstat(handle)
        if not stat.S_ISREG(before.st_mode):
            raise Unsuitable(f"{source} is not a file")
        if target.exists() and target.stat().st_size == before.st_size:
            known = digest(target)
            if known == _digest_of(reading):
                return {"size": before.st_size, "sha256": known}
            raise Unsuitable(f"{target} already exists with different content")
        if target.exists():
            raise Unsuitable(f"{target} already exists with a different size")
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        sum_ = hashlib.sha256()
        try:
            with fresh.open("wb") as writing:
                for chunk in iter(lambda: reading.read(_CHUNK), b""):
                    sum_.update(chunk)
                    writing.write(chunk)
                writing.flush()
                os.fchmod(writing.fileno(), stat.S_IMODE(before.st_mode))
                os.fsync(writing.fileno())
            after = os.fstat(handle)
            if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
                raise Unsuitable(f"{source} changed while it was copied")
            fresh.replace(target)
        finally:
            fresh.unlink(missing_ok=True)
    return {"size": before.st_size, "sha256": sum_.hexdigest()}


def write_json(path: Path, content: object) -> None:
    """Replaces a JSON file atomically."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with fresh.open("w", encoding="utf-8") as writing:
            json.dump(content, writing, indent=1, sort_keys=True)
            writing.write("\n")
            writing.flush()
            os.fsync(writing.fileno())
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def point(link: Path, name: str, node: str) -> None:
    """Point a symbolic link to `name`, atomically; `node` is the name of this node."""
    fresh = half_made(link, node)
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(name)
    fresh.replace(link)


def half_made(link: Path, node: str) -> Path:
    """The temporary name of `point`'s link, one for each node, so that none is left over."""
    return link.with_name(f".{link.name}.{node}.tmp")


def sync_folder(folder: Path) -> None:
    """Make new names in a folder durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as reading:
        return _digest_of(reading)


def _digest_of(reading: object) -> str:
    sum_ = hashlib.sha256()
    for chunk in iter(lambda: reading.read(_CHUNK), b""):  # type: ignore[attr-defined]
        sum_.update(chunk)
    return sum_.hexdigest()
