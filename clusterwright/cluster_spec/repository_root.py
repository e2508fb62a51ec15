"""The repository of a spec, with its custom steps and lists of artefacts."""

from __future__ import annotations

from pathlib import Path

SCRIPTS = "lifecycle_scripts"
"""The folder by which the root of the repository is recognised."""


def root() -> Path | None:
    """Return the checkout that contains this program, else that of the working directory."""
    here = Path(__file__).resolve().parents[2]
    for folder in (here, Path.cwd(), *Path.cwd().parents):
        if (folder / SCRIPTS).is_dir():
            return folder
    return None


def file(path: str) -> Path:
    """Return the path of a file named in a spec: relative to the repository root, or absolute.

    Outside a repository, it is relative to the working directory.
    """
    return (root() or Path.cwd()) / path
