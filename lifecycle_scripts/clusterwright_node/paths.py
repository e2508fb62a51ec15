"""Absolute paths, compared by their parts."""

from __future__ import annotations


def is_under(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or is in it. Both are absolute."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")
