"""Migrate a loaded spec to another platform."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path as FilePath

from clusterwright.catalog import Catalog
from clusterwright.cluster_spec import LoadedSpec
from clusterwright.migration.implicit_defaults import defaults_changed, defaults_lost
from clusterwright.migration.in_place import in_place
from clusterwright.migration.layers import flattened, upper_layer
from clusterwright.migration.manual_steps import (
    gained_abilities,
    lost_abilities,
    manual_steps,
)
from clusterwright.migration.resource_import import import_resources
from clusterwright.migration.results import Migration, Note
from clusterwright.migration.rewrite import candidate, reuse_buckets, rewrite
from clusterwright.migration.rewriting import Rewriting
from clusterwright.migration.yaml_editor import Editor
from clusterwright.platforms.registry import PlatformName


def migrate(
    spec: LoadedSpec,
    target: PlatformName,
    catalog: Catalog,
    *,
    environment: str | None = None,
    folder: FilePath | None = None,
    below: str | None = None,
    outputs: Mapping[str, str] | None = None,
) -> Migration:
    """Return the same cluster on `target`.

    Parameters
    ----------
    environment:
        The new environment name; the old one if None.
    folder:
        The folder of the new file; the folder of the spec if None. There the new file is a layer
        over the same base.yaml.
    below:
        The text of the base.yaml of another `folder`; None without one. Values of that base that
        this cluster does not have are overridden.
    outputs:
        Outputs of the deployed stacks by name: their resources are written as `existing:`. Only
        for a new `environment`: with the same name the stacks keep their resources.

    Raises
    ------
    MissingOutputsError
        The outputs lack an id of a resource to import.

    The text is as valid as possible; `decisions` are choices made for the user, who may change
    them. `check` reports the remaining problems.
    """
    documents = spec.layers.documents
    top = "\n".join(documents[-1].lines)
    base = "\n".join(documents[0].lines) if len(documents) > 1 else None
    home = FilePath(spec.file).parent
    editor = Editor(flattened(_with_platform(top, target), base))
    if environment is not None:
        editor.put(("environment",), environment)
    _users_file(editor, spec, folder or home)
    work = Rewriting(editor, target, os.fspath((folder or home) / "migrated.yaml"))
    if environment is not None:
        reuse_buckets(work)
    if outputs is not None:
        import_resources(work, spec.cluster, outputs)
    rewrite(work)
    at_home = folder is None or folder.resolve() == home.resolve()
    text = upper_layer(editor.text, base if at_home else below)
    text = re.sub(r"\n{3,}", "\n\n", text).rstrip("\n") + "\n"
    source: PlatformName = spec.cluster.platform
    told = (*work.lost, *work.moves, *work.decisions)
    # Where the new file does not load, `check` reports why, and nothing can be compared yet.
    other = candidate(editor.text, work.file)
    lost = defaults_lost(spec.cluster, other, told) if other is not None else ()
    changed = defaults_changed(spec.cluster, other, told) if other is not None else ()
    return Migration(
        source,
        target,
        text,
        (*work.lost, *lost, *lost_abilities(source, target)),
        tuple(gained_abilities(source, target)),
        (
            *_name(spec, environment),
            *work.moves,
            *changed,
            *manual_steps(spec.cluster, other, target, catalog),
        ),
        tuple(work.decisions),
        tuple(in_place(spec.cluster, other, catalog))
        if other is not None and other.environment == spec.cluster.environment
        else (),
    )


def _with_platform(top: str, target: PlatformName) -> str:
    """Write the platform near the top of a file that takes it from its base."""
    editor = Editor(top)
    written = editor.data
    before = [key for key in ("environment", "account", "region") if key in written]
    if "platform" in written or not before:
        return top
    last = max(before, key=list(written).index)
    head, section, rest = editor.text.partition(editor.section(last))
    return f"{head}{section}platform: {target}\n{rest}"


def _name(spec: LoadedSpec, environment: str | None) -> Iterator[Note]:
    old = spec.cluster.environment
    if environment is None or environment == old:
        yield Note(
            "environment",
            f"both files have stacks called {old}-...: a deployment changes those of the old "
            "cluster",
            "`--environment NAME` creates a second cluster, to which data can be moved",
        )


def _users_file(editor: Editor, spec: LoadedSpec, folder: FilePath) -> None:
    """Make the path of the users file relative to the folder of the new file."""
    named = editor.get(("slurm", "users"))
    origin = spec.layers.origin.get(("slurm", "users"))
    for document in reversed(spec.layers.documents):
        slurm = document.data.get("slurm")
        if isinstance(slurm, dict) and slurm.get("users") is not None:
            origin = document
            break
    if not isinstance(named, str) or origin is None:
        return
    there = FilePath(origin.file).parent
    if there.resolve() != folder.resolve():
        path = os.path.relpath((there / named).resolve(), folder.resolve())
        editor.put(("slurm", "users"), path)
