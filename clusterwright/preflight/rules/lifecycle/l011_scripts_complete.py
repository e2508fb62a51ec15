"""The folder of lifecycle scripts is complete."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path

from clusterwright import files
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects
from clusterwright.preflight.rules.lifecycle import python_source
from clusterwright.preflight.rules.lifecycle.scripts_folder import Folder, entry, folders


class ScriptsComplete(Rule[Folder]):
    id = "CW-L011"
    prevents = "`Lifecycle scripts did not run successfully` on every node: a file is missing"
    source = "SageMaker CreateCluster, ClusterLifeCycleConfig; awslabs/awsome-distributed-ai #188"

    def subjects(self, context: Context) -> Subjects[Folder]:
        return folders(context)

    def check(self, folder: Folder, context: Context) -> Results:
        started = entry(context)
        platform = "HyperPod" if context.on_hyperpod else "ParallelCluster"
        if started not in folder.names:
            yield Fail(message=f"{folder.root.name} has no {started}, which {platform} starts")
            return
        if next(state for state in folder.states if state.name == started).size_bytes == 0:
            yield Fail(message=f"{folder.root.name}/{started} is empty")
        for path, module in _missing(folder):
            yield Fail(
                message=f"{folder.named(path)} imports {module}, which does not exist",
                where=folder.named(path),
            )


@functools.lru_cache(maxsize=4)
def _missing(folder: Folder) -> tuple[tuple[Path, str], ...]:
    """Files with the modules that they import and that do not exist."""
    return tuple(
        (path, module) for path, module in _imports(folder) if not _exists(folder, module)
    )


def _imports(folder: Folder) -> Iterator[tuple[Path, str]]:
    """Imports of the folder's own packages; CW-L012 reports unreadable files."""
    packages = {name.partition("/")[0] for name in folder.names if "/" in name}
    for path in folder.with_suffix(".py"):
        try:
            found = python_source.read(files.read_text(path))
        except (UnicodeDecodeError, OSError):
            continue
        for name in found.imports:
            first = name.partition(".")[0]
            if first in packages or first.startswith("clusterwright_"):
                yield path, name


def _exists(folder: Folder, module: str) -> bool:
    place = module.replace(".", "/")
    return f"{place}.py" in folder.names or f"{place}/__init__.py" in folder.names
