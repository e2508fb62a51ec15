"""Lists of Python packages with their checksums."""

from __future__ import annotations

from importlib.resources import files

from clusterwright.container_images.stacks import Stack


def requirements(stack: Stack) -> str | None:
    """The list of an image as `pip install --requirement` reads it; None if it has none."""
    if stack.requirements is None:
        return None
    path = files("clusterwright.container_images") / f"requirements/{stack.requirements}.txt"
    return path.read_text("utf-8")
