"""Read and write the JSON records of a node: whole or not at all, bounded, for several readers."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

LARGEST_BYTES = 8 * 1024 * 1024
LARGEST_REPORT_BYTES = 64 * 1024 * 1024
"""Of the report of an acceptance run: up to 9 KiB for each node
(`clusterwright/cluster_state/acceptance.py` has the same limit).
"""


def read(path: Path, largest_bytes: int = LARGEST_BYTES) -> dict[str, Any]:
    """The object in a file; empty if there is none, or the file is too large or invalid."""
    try:
        if path.stat().st_size > largest_bytes:
            return {}
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def write(path: Path, content: dict[str, Any]) -> None:
    """Replace the file; a reader sees the old or the new content, also after a crash.

    Raises
    ------
    OSError
        The disk is full or read-only; the old file is unchanged.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with fresh.open("w", encoding="utf-8") as file:
            file.write(json.dumps(content, indent=2, sort_keys=True) + "\n")
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise
