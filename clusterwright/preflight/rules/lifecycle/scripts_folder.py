"""The folder of lifecycle scripts, read as it will be copied to S3.

Where there is no repository (the command was installed alone, and the spec stands by itself),
there is nothing to look at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from clusterwright.cluster_spec import repository_root
from clusterwright.cluster_spec.problems import Path as SpecPath
from clusterwright.preflight.rule import Context, Subject

ENTRY: Final = {
    "managed": "on_init_complete.sh",
    "scripted": "on_create.sh",
    "parallelcluster": "on_node_configured.sh",
}
"""As `stacks/lifecycle/scripts.py` names it to the platform; a test compares."""

HERE: Final[SpecPath] = ("slurm", "configuration")
"""It decides which of the scripts HyperPod starts."""


@dataclass(frozen=True)
class Folder:
    """One folder, without what editors and Python leave behind."""

    root: Path

    @cached_property
    def files(self) -> tuple[Path, ...]:
        """Every file that is copied."""
        found = []
        for path in sorted(self.root.rglob("*")):
            parts = path.relative_to(self.root).parts
            hidden = any(part.startswith(".") or part == "__pycache__" for part in parts)
            if path.is_file() and not hidden and path.suffix != ".pyc":
                found.append(path)
        return tuple(found)

    def named(self, path: Path) -> str:
        """A file as a message names it."""
        return f"{self.root.name}/{path.relative_to(self.root).as_posix()}"

    def with_suffix(self, suffix: str) -> tuple[Path, ...]:
        return tuple(path for path in self.files if path.suffix == suffix)


def folders(context: Context) -> Iterator[Subject[Folder]]:
    """The folder of this repository, where there is one and nodes would run it."""
    root = repository_root.root()
    if root is not None and context.cluster.uses_slurm:
        here = HERE if context.on_hyperpod else ("platform",)
        yield Subject(here, Folder(root / repository_root.SCRIPTS))


def entry(context: Context) -> str:
    """The script of the folder that the platform starts on each node."""
    mode = context.cluster.slurm.configuration if context.on_hyperpod else "parallelcluster"
    return ENTRY[mode]
