"""Lifecycle scripts are text as nodes read it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from clusterwright.cluster_spec.custom_steps import NODE_PYTHON
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects
from clusterwright.preflight.rules.lifecycle import python_source
from clusterwright.preflight.rules.lifecycle.scripts_folder import Folder, folders

_TEXT: Final = (".sh", ".py", ".json", ".conf", ".yaml", ".service")
_BOM: Final = b"\xef\xbb\xbf"


class ScriptsText(Rule[Folder]):
    id = "CW-L012"
    title = "Lifecycle scripts are text as nodes read it"
    scope = "offline"
    prevents = (
        "a script that no node can start: `bad interpreter` after an editor wrote CRLF, a byte "
        "order mark before `#!`, syntax that the nodes' Python does not have"
    )
    source = "execve(2), interpreter scripts; awslabs/awsome-distributed-ai #188"

    def subjects(self, context: Context) -> Subjects[Folder]:
        return folders(context)

    def check(self, folder: Folder) -> Results:
        for path in folder.files:
            if path.suffix in _TEXT:
                for wrong, hint in _wrong(
                    path.suffix, path.read_bytes(), top=path.parent == folder.root
                ):
                    yield Fail(
                        message=f"{folder.named(path)} {wrong}",
                        where=folder.named(path),
                        hint=hint,
                    )


def _wrong(suffix: str, content: bytes, *, top: bool) -> Iterator[tuple[str, str | None]]:
    if content.startswith(_BOM):
        yield "begins with a byte order mark", "save it as UTF-8 without one"
        content = content.removeprefix(_BOM)
    if b"\r\n" in content:
        yield "has lines that end in CRLF", "save it with LF; `*.sh text eol=lf` in .gitattributes"
        content = content.replace(b"\r\n", b"\n")
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        yield f"is no UTF-8: byte {error.start}", None
        return
    # HyperPod starts those at the top; others are read by a shell that knows itself.
    if suffix == ".sh" and top and not text.startswith("#!"):
        yield "has no first line that names its shell", "#!/usr/bin/env bash"
    if suffix == ".py":
        problem = python_source.read(text).problem
        if problem is not None:
            version = ".".join(map(str, NODE_PYTHON))
            yield f"is no Python {version}: {problem}", None
    if suffix == ".json":
        try:
            json.loads(text)
        except (ValueError, RecursionError) as error:
            yield f"is no JSON: {error}", None


RULE = ScriptsText()
