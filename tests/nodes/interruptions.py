"""Copies of nodes and the points at which a run is interrupted."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from clusterwright_node import kept_scripts, programs
from clusterwright_node.journal import JOURNAL

from tests.nodes.world import World

_COPIED = re.compile(
    r"(/opt/clusterwright/(?:lib|scripts)/\w+|/var/lib/clusterwright/installed)/\S+"
)


def copied(world: World, name: str) -> World:
    """A copy of the node in its present state."""
    folder = world.folder.with_name(name)
    shutil.copytree(world.folder, folder, symlinks=True)
    return World(folder, world.configuration, world.groups)


def interrupted(start: World, points: list[str], chosen: list[int]) -> Iterator[tuple[int, World]]:
    """The node as a kill leaves it at each of the chosen points of its run.

    One run makes a few copies, so that they fit in memory.
    """
    for first in range(0, len(chosen), 16):
        chunk = chosen[first : first + 16]
        node = copied(start, f"{start.folder.name}-interrupted")
        folders = {point: node.folder.with_name(f"{node.folder.name}-{point}") for point in chunk}
        reached = node.run(copies=folders).machine.points
        machine = re.compile(rf"{start.folder.parent}/[^/]+/")
        assert [machine.sub("", label) for label in reached] == [
            machine.sub("", label) for label in points
        ], "the run is not repeatable"
        shutil.rmtree(node.folder)
        for point, folder in folders.items():
            yield point, World(folder, start.configuration, start.groups)


@contextmanager
def fewer_program_files(folder: Path, most: int = 3) -> Iterator[None]:
    """Nodes install only the first files of each folder of our programs, copied to `folder`.

    The files of a program are compared and written one by one, and are three quarters of those of
    a node. With fewer, a run takes less time and has the same kinds of points.
    """
    source = programs._SOURCE
    for place, folders, names in os.walk(source):
        folders[:] = [name for name in folders if name != "__pycache__"]
        target = folder / Path(place).relative_to(source)
        target.mkdir(parents=True, exist_ok=True)
        chosen = sorted(name for name in names if name.endswith((".py", ".json")))
        for name in chosen[:most]:
            shutil.copy2(Path(place) / name, target / name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(programs, "_SOURCE", folder)
        patch.setattr(kept_scripts, "_SOURCE", folder)
        programs._files.cache_clear()
        try:
            yield
        finally:
            programs._files.cache_clear()


def kinds(points: list[str]) -> set[tuple[str, str]]:
    """What tells the points of a run apart, see `worth_a_kill`."""
    tried: set[tuple[str, str]] = set()
    list(worth_a_kill(points, tried))
    return tried


def worth_a_kill(points: list[str], tried: set[tuple[str, str]]) -> Iterator[int]:
    """The points where a kill can leave something new behind, each once per configuration.

    After one change the machine is as it is before the next, so points after a change are left
    out, but for the last. A point is the same on two nodes when the change is the same and, as
    the journal is written often, the last other change before it is the same too. The files of a
    program of ours that is copied are alike: each is compared and written by itself.
    """
    last_change = ""
    for point, point_label in enumerate(points):
        label = _COPIED.sub(r"\1/a-file", point_label)
        is_last = point + 1 == len(points)
        if not label.startswith("after ") or is_last:
            key = (last_change, label)
            if key not in tried:
                tried.add(key)
                yield point
        if JOURNAL not in label:
            last_change = label
