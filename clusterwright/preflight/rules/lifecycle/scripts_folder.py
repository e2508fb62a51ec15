"""The folder of lifecycle scripts, as it is uploaded to S3.

Without a repository (the command is installed alone), there is nothing to check.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from clusterwright.cluster_spec import repository_root
from clusterwright.cluster_spec.problems import Path as SpecPath
from clusterwright.platforms.entry_scripts import ENTRY
from clusterwright.preflight.rule import Context, Subjects

CONFIGURATION_PATH: Final[SpecPath] = ("slurm", "configuration")
"""The setting that decides which of the scripts HyperPod starts."""


@dataclass(frozen=True)
class Folder:
    """One folder, without hidden files and Python caches."""

    root: Path

    @cached_property
    def files(self) -> tuple[Path, ...]:
        """Every file that is uploaded."""
        found = []
        for path in sorted(self.root.rglob("*")):
            parts = path.relative_to(self.root).parts
            hidden = any(part.startswith(".") or part == "__pycache__" for part in parts)
            if path.is_file() and not hidden and path.suffix != ".pyc":
                found.append(path)
        return tuple(found)

    def named(self, path: Path) -> str:
        """The name of a file in messages."""
        return f"{self.root.name}/{path.relative_to(self.root).as_posix()}"

    def with_suffix(self, suffix: str) -> tuple[Path, ...]:
        return tuple(path for path in self.files if path.suffix == suffix)


def folders(context: Context) -> Subjects[Folder]:
    """The folder of this repository, if there is one and the platform runs it."""
    root = repository_root.root()
    if root is not None and context.cluster.uses_slurm:
        here = CONFIGURATION_PATH if context.on_hyperpod else ("platform",)
        yield here, Folder(root / repository_root.SCRIPTS)


def entry(context: Context) -> str:
    """The script of the folder that the platform starts on each node."""
    return ENTRY[context.platform.node_setup or context.cluster.slurm.configuration]
