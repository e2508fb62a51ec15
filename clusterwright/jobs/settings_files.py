"""Settings of frameworks in JSON, YAML and TOML: written by the job file, or beside it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from clusterwright.jobs.job import Job

_MOST_SETTINGS: Final = 2_000


def settings(job: Job, name: str) -> Mapping[str, str] | None:
    """The settings of a file by dotted names, in lower case; None if it cannot be read.

    A here-document of the job file counts before a file beside it.
    """
    text = written(job, name)
    if text is None and "$" not in name and not name.startswith(("/", "~")):
        text = job.beside(name)
    if text is None:
        return None
    try:
        return dict(_leaves(_read(text, name.rpartition(".")[2].lower())))
    except (ValueError, RecursionError):
        return None


def written(job: Job, name: str) -> str | None:
    """The last here-document that a command writes to the file."""
    found = None
    lines = job.file.lines
    bodies = {document.line: document.lines for document in job.file.script.here_documents}
    for command in job.file.script.commands:
        body = bodies.get(command.words[0].line)
        targets = [output.target.text for output in command.outputs]
        if command.name == "tee":
            targets += [word.text for word in command.words[1:]]
        if body is not None and name in targets:
            found = "\n".join(lines[body.start - 1 : body.stop - 2])
    return found


def _read(text: str, kind: str) -> Any:
    if kind == "json":
        return json.loads(text)
    if kind == "toml":
        return tomllib.loads(text)
    if kind not in ("yaml", "yml"):
        raise ValueError(kind)
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        return YAML(typ="safe", pure=True).load(text)
    except (YAMLError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
        # Its constructors raise them: `!!int ''`, `!!bool zz`, a key that is a list.
        raise ValueError(str(error)) from None


def _leaves(settings: Any) -> Iterator[tuple[str, str]]:
    """Name and text of each value; of a large file those of the first mappings."""
    waiting: list[tuple[str, Any]] = [("", settings)]
    for _ in range(_MOST_SETTINGS):
        if not waiting:
            return
        prefix, value = waiting.pop()
        if isinstance(value, Mapping):
            inner = list(value.items())[:_MOST_SETTINGS]
            waiting += [(f"{prefix}.{key}".lower().lstrip("."), found) for key, found in inner]
        elif isinstance(value, str | int | float):
            yield prefix, str(value)
