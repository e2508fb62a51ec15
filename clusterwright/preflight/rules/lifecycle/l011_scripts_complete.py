"""The folder of lifecycle scripts is complete."""

from __future__ import annotations

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
        if folder.root / started not in folder.files:
            yield Fail(message=f"{folder.root.name} has no {started}, which {platform} starts")
            return
        if (folder.root / started).stat().st_size == 0:
            yield Fail(message=f"{folder.root.name}/{started} is empty")
        for path, module in _imports(folder):
            if not _exists(folder.root, module):
                yield Fail(
                    message=f"{folder.named(path)} imports {module}, which does not exist",
                    where=folder.named(path),
                )


def _imports(folder: Folder) -> Iterator[tuple[Path, str]]:
    """Imports of the folder's own packages; CW-L012 reports unreadable files."""
    packages = {path.parent.relative_to(folder.root).parts[0] for path in folder.files
                if path.parent != folder.root}  # fmt: skip
    for path in folder.with_suffix(".py"):
        try:
            found = python_source.read(files.read_text(path))
        except (UnicodeDecodeError, OSError):
            continue
        for name in found.imports:
            first = name.partition(".")[0]
            if first in packages or first.startswith("clusterwright_"):
                yield path, name


def _exists(root: Path, module: str) -> bool:
    place = root.joinpath(*module.split("."))
    return place.with_suffix(".py").is_file() or (place / "__init__.py").is_file()
