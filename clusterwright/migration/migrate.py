"""From one loaded spec to the file of another platform."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path as FilePath

from clusterwright.catalog import Catalog
from clusterwright.cluster_spec import LoadedSpec
from clusterwright.migration.in_force import defaults_changed, defaults_lost
from clusterwright.migration.in_place import in_place
from clusterwright.migration.layered import flattened, upper_layer
from clusterwright.migration.moves import gained_abilities, lost_abilities, moves
from clusterwright.migration.results import Migration, Note
from clusterwright.migration.rewrite import Rewriting, beside, candidate, rewrite
from clusterwright.migration.takeover import take_over
from clusterwright.migration.text_edit import Editor
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
    """The same cluster on `target`.

    Parameters
    ----------
    environment:
        The other cluster's name; the same as before if None.
    folder:
        Where the file will lie: beside the base.yaml that the spec was laid over it is laid over
        that one too. None stands for the folder of the spec.
    below:
        The text of the base.yaml of another folder, over which the file will be read there; None
        where there is none. What that base says and this cluster does not is taken back.
    outputs:
        Of the deployed stacks, by name: what they built is written as existing. Only for another
        `environment`: under the same name the stacks keep what they have.

    Raises
    ------
    OutputsLack
        The outputs have not what is to be taken over.

    The text is as valid as it can be made; `decisions` are what was decided for the user on the
    way, and may be decided otherwise. What is left is for `check` to find.
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
        beside(work)
    if outputs is not None:
        take_over(work, spec.cluster, outputs)
    rewrite(work)
    at_home = folder is None or folder.resolve() == home.resolve()
    text = upper_layer(editor.text, base if at_home else below)
    text = re.sub(r"\n{3,}", "\n\n", text).rstrip("\n") + "\n"
    source: PlatformName = spec.cluster.platform
    told = (*work.lost, *work.moves, *work.decisions)
    # Where the other file does not load, `check` says why, and there is nothing to compare yet.
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
            *moves(spec.cluster, other, target, catalog),
        ),
        tuple(work.decisions),
        tuple(in_place(spec.cluster, other, catalog))
        if other is not None and other.environment == spec.cluster.environment
        else (),
    )


def _with_platform(top: str, target: PlatformName) -> str:
    """A file that leaves the platform to its base says it after all, near its head."""
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
            f"both files make stacks called {old}-...: a deployment changes the old cluster's",
            "`--environment NAME` makes a cluster beside it, to which data can move",
        )


def _users_file(editor: Editor, spec: LoadedSpec, folder: FilePath) -> None:
    """The users file is named from the file that names it, wherever that will lie."""
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
