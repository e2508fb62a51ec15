"""The repository of a spec, with its custom steps and lists of artefacts."""

from __future__ import annotations

from pathlib import Path

SCRIPTS = "lifecycle_scripts"
"""The folder that tells the root of the repository."""


def root() -> Path | None:
    """The checkout that this program comes from, else the one around the working directory."""
    here = Path(__file__).resolve().parents[2]
    for folder in (here, Path.cwd(), *Path.cwd().parents):
        if (folder / SCRIPTS).is_dir():
            return folder
    return None


def file(path: str) -> Path:
    """A file as a spec names it: from the root of the repository, or by an absolute path.

    Outside of any repository it is taken from the working directory.
    """
    return (root() or Path.cwd()) / path
