"""Where files are kept that can be made again: the user's cache folder."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Mapping
from pathlib import Path

from clusterwright import files


def folder(environment: Mapping[str, str], name: str) -> Path | None:
    """The folder of one kind of files; None where there is no place for them.

    `CLUSTERWRIGHT_CACHE` names another place, or none when it is empty.
    """
    own = environment.get("CLUSTERWRIGHT_CACHE")
    if own is not None:
        return Path(own) / name if own else None
    cache = environment.get("XDG_CACHE_HOME")
    home = environment.get("HOME")
    if cache:
        return Path(cache) / "clusterwright" / name
    return Path(home) / ".cache" / "clusterwright" / name if home else None


def read(path: Path) -> bytes | None:
    """What a file holds; None where there is none, or where others could have written it."""
    try:
        # Reading a pipe without a writer would block.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            return None
        if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return None
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            content = file.read(files.MAXIMUM_BYTES + 1)
            return content if len(content) <= files.MAXIMUM_BYTES else None
    except OSError:
        return None
    finally:
        os.close(descriptor)


def keep(path: Path, content: bytes) -> None:
    """Write a file in one step; where that cannot be done, it is left."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        files.write_atomically(path, content, mode=0o600)
