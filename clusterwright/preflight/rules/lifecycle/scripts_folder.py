"""The folder of lifecycle scripts, as it is uploaded to S3.

Without a repository (the command is installed alone), there is nothing to check.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

from clusterwright.cluster_spec import repository_root
from clusterwright.cluster_spec.problems import Path as SpecPath
from clusterwright.platforms.entry_scripts import ENTRY
from clusterwright.preflight.rule import Context, Subjects

CONFIGURATION_PATH: Final[SpecPath] = ("slurm", "configuration")
"""The setting that decides which of the scripts HyperPod starts."""


class State(NamedTuple):
    """What the system says about a file; every change of its content changes a time."""

    name: str
    """The path below the folder, with `/`."""
    size_bytes: int
    changed: tuple[int, int, int]
    """Inode, and the times of the last change of content and of anything, in nanoseconds."""


@dataclass(frozen=True)
class Folder:
    """One folder as it is now, without hidden files and Python caches.

    Equal folders have equal contents, so that rules keep what they found in one: reading hundreds
    of files takes most of the time of a check.
    """

    root: Path
    states: tuple[State, ...]

    @cached_property
    def files(self) -> tuple[Path, ...]:
        """Every file that is uploaded, sorted by its path."""
        return tuple(self.root / state.name for state in self.states)

    @cached_property
    def names(self) -> frozenset[str]:
        """The paths of the files below the folder, with `/`."""
        return frozenset(state.name for state in self.states)

    def named(self, path: Path) -> str:
        """The name of a file in messages."""
        return f"{self.root.name}/{path.relative_to(self.root).as_posix()}"

    def with_suffix(self, suffix: str) -> tuple[Path, ...]:
        return tuple(path for path in self.files if path.suffix == suffix)


def folder_at(root: Path) -> Folder:
    """The folder with the files that it has now; one that does not exist has none."""
    found = sorted(_states(os.fspath(root), ""), key=lambda state: state.name.split("/"))
    return Folder(root, tuple(found))


def _states(place: str, prefix: str) -> Iterator[State]:
    try:
        entries = list(os.scandir(place))
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith(".") or entry.name == "__pycache__":
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _states(entry.path, f"{prefix}{entry.name}/")
        elif entry.is_file() and not entry.name.endswith(".pyc"):
            status = entry.stat()
            changed = (status.st_ino, status.st_mtime_ns, status.st_ctime_ns)
            yield State(f"{prefix}{entry.name}", status.st_size, changed)


def folders(context: Context) -> Subjects[Folder]:
    """The folder of this repository, if there is one and the platform runs it."""
    root = repository_root.root()
    if root is not None and context.cluster.uses_slurm:
        here = CONFIGURATION_PATH if context.on_hyperpod else ("platform",)
        yield here, folder_at(root / repository_root.SCRIPTS)


def entry(context: Context) -> str:
    """The script of the folder that the platform starts on each node."""
    return ENTRY[context.platform.node_setup or context.cluster.slurm.configuration]
