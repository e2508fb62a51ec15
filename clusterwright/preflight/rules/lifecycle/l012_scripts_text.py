"""Lifecycle scripts are text that the nodes can read."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from clusterwright import files
from clusterwright.cluster_spec.custom_steps import NODE_PYTHON
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects
from clusterwright.preflight.rules.lifecycle import python_source
from clusterwright.preflight.rules.lifecycle.scripts_folder import Folder, folders

_TEXT: Final = (".sh", ".py", ".json", ".conf", ".yaml", ".service")
_BOM: Final = b"\xef\xbb\xbf"


class ScriptsText(Rule[Folder]):
    id = "CW-L012"
    prevents = (
        "a script that nodes cannot start: `bad interpreter` because of CRLF line endings, a "
        "byte order mark before `#!`, syntax that the nodes' Python does not support"
    )
    source = "execve(2), interpreter scripts; awslabs/awsome-distributed-ai #188"

    def subjects(self, context: Context) -> Subjects[Folder]:
        return folders(context)

    def check(self, folder: Folder) -> Results:
        for path, problem, hint in _found(folder):
            yield Fail(
                message=f"{folder.named(path)} {problem}",
                where=folder.named(path),
                hint=hint,
            )


@functools.lru_cache(maxsize=4)
def _found(folder: Folder) -> tuple[tuple[Path, str, str | None], ...]:
    """Every problem with its file and hint."""
    return tuple(
        (path, problem, hint)
        for path in folder.files
        if path.suffix in _TEXT
        for problem, hint in _problems_of(path, top=path.parent == folder.root)
    )


def _problems_of(path: Path, *, top: bool) -> Iterator[tuple[str, str | None]]:
    try:
        content = files.read_bytes(path)
    except OSError as error:
        yield f"cannot be read: {error.strerror}", None
        return
    yield from _problems(path.suffix, content, top=top)


def _problems(suffix: str, content: bytes, *, top: bool) -> Iterator[tuple[str, str | None]]:
    if content.startswith(_BOM):
        yield "begins with a byte order mark", "save it as UTF-8 without a byte order mark"
        content = content.removeprefix(_BOM)
    if b"\r\n" in content:
        yield "has CRLF line endings", "save it with LF; `*.sh text eol=lf` in .gitattributes"
        content = content.replace(b"\r\n", b"\n")
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        yield f"is not UTF-8: byte {error.start}", None
        return
    # HyperPod starts the scripts at the top level; others are sourced by a shell.
    if suffix == ".sh" and top and not text.startswith("#!"):
        yield "has no shebang line", "#!/usr/bin/env bash"
    if suffix == ".py":
        problem = python_source.read(text).problem
        if problem is not None:
            version = ".".join(map(str, NODE_PYTHON))
            yield f"is not valid Python {version}: {problem}", None
    if suffix == ".json":
        try:
            json.loads(text)
        except (ValueError, RecursionError) as error:
            yield f"is not valid JSON: {error}", None
