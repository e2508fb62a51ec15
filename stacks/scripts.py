"""The lifecycle scripts as they go to the nodes, and the digest that stands for them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent / "lifecycle_scripts"

EXCLUDED = ("__pycache__", "*.pyc", ".*")
"""What Python and editors leave behind; not part of the scripts."""

ENTRY = {"managed": "on_init_complete.sh", "scripted": "on_create.sh"}
"""The script that HyperPod starts in each mode."""

DIGEST_LENGTH = 16
"""Hexadecimal digits: 64 bits tell the versions of one folder apart."""


def scripts_digest(files: Mapping[str, Any], folder: Path = FOLDER) -> str:
    """A digest of every script and of `files` (name to JSON value), the same on every machine.

    Paths and contents count; times, owners and modes do not, because S3 keeps none of them.
    """
    digest = hashlib.sha256()
    contents = {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in script_files(folder)
    }
    for name, value in files.items():
        contents[name] = canonical(value).encode()
    for name in sorted(contents):
        digest.update(f"{name}\0{len(contents[name])}\0".encode())
        digest.update(contents[name])
    return digest.hexdigest()[:DIGEST_LENGTH]


def canonical(value: Any) -> str:
    """JSON with sorted keys, so that equal values have equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def script_files(folder: Path) -> Iterator[Path]:
    """The files that go to the nodes, without what editors and Python leave behind."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and not any(
            part.startswith(".") or part == "__pycache__" or part.endswith(".pyc")
            for part in parts
        ):
            yield path
