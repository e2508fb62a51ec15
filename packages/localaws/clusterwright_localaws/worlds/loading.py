"""Loads worlds: built-in worlds by name, others from a YAML file; errors have positions."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from clusterwright import files
from clusterwright_localaws.worlds.contradictions import contradictions
from clusterwright_localaws.worlds.model import World

DEFAULT_WORLD: Final = "generous"
MAX_WORLD_BYTES: Final = 1_000_000
# A file of the greatest size has at most half as many values without aliases.
MAX_WORLD_VALUES: Final = 500_000


@dataclass(frozen=True)
class WorldProblem:
    """One problem of a world file; line and column count from 1."""

    message: str
    file: str
    line: int | None = None
    column: int | None = None
    source_line: str = ""

    def __str__(self) -> str:
        if self.line is None:
            return f"{self.message}\n  {self.file}"
        text = f"{self.message}\n  {self.file}:{self.line}:{self.column}"
        if self.source_line:
            margin = f"{self.line:5d} | "
            caret = " " * (len(margin) - 2) + "| " + " " * ((self.column or 1) - 1) + "^"
            text += f"\n{margin}{self.source_line}\n{caret}"
        return text


class WorldError(Exception):
    """The world cannot be used; `problems` holds every reason."""

    def __init__(self, problems: Sequence[WorldProblem], hint: str) -> None:
        self.problems = tuple(problems)
        self.hint = hint
        super().__init__("\n".join(str(problem) for problem in problems))


def built_in_worlds() -> tuple[str, ...]:
    """Return the names of the built-in worlds."""
    folder = resources.files("clusterwright_localaws") / "worlds"
    return tuple(
        sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".yaml"))
    )


def load_world(name_or_path: str | Path) -> World:
    """Read a world by its built-in name or from a file.

    A file with `extends: NAME` contains only what differs: each of its fields replaces that of the
    built-in world, except that `quotas` and `usage` are merged code by code.

    Raises
    ------
    WorldError
        No such world or file, not YAML, or not a world; every problem with its position.
    """
    text = str(name_or_path)
    if text in built_in_worlds():
        source = (resources.files("clusterwright_localaws") / "worlds" / f"{text}.yaml").read_text(
            encoding="utf-8"
        )
        return parse_world(source, f"<built-in world {text}>")
    path = Path(text)
    if not path.exists():
        close = difflib.get_close_matches(text, built_in_worlds(), n=1)
        hint = (
            f"did you mean `{close[0]}`?"
            if close
            else (f"built-in worlds are {', '.join(built_in_worlds())}; anything else is a file")
        )
        raise WorldError([WorldProblem("no such world or file", text)], hint)
    if path.is_dir():
        raise WorldError([WorldProblem("a directory is not a world", text)], "name a YAML file")
    try:
        source = files.read_bytes(path, MAX_WORLD_BYTES).decode("utf-8")
    except files.FileTooLargeError:
        raise WorldError(
            [WorldProblem(f"the file is larger than {MAX_WORLD_BYTES} bytes", text)],
            "a world is a short YAML document",
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise WorldError([WorldProblem(f"cannot be read: {error}", text)], "check the file") from (
            error
        )
    return parse_world(source, text)


def parse_world(source: str, file: str = "<world>") -> World:
    """Turn the text of a world file into a world; see `load_world`."""
    document = _document(source, file)
    place = _position(document, ["extends"])
    parent = document.pop("extends", None)
    if parent is not None:
        if not isinstance(parent, str) or parent not in built_in_worlds():
            lines = source.splitlines()
            line, column = place or (0, 0)
            raise WorldError(
                [
                    WorldProblem(
                        f"extends: {parent!r} is not a built-in world",
                        file,
                        line + 1,
                        column + 1,
                        lines[line],
                    )
                ],
                f"one of {', '.join(built_in_worlds())}",
            )
        base = load_world(parent).model_dump(mode="json", exclude_defaults=True)
        for field in ("quotas", "usage"):
            if isinstance(document.get(field), dict):
                base[field] = {**base.get(field, {}), **document[field]}
        merged = {**base, **{k: v for k, v in document.items() if k not in ("quotas", "usage")}}
        for field in ("quotas", "usage"):
            if field in document and field not in merged:
                merged[field] = document[field]
    else:
        merged = dict(document)
    lines = source.splitlines()
    try:
        world = World.model_validate(merged)
    except ValidationError as error:
        raise WorldError(
            [_problem(item, document, file, lines) for item in error.errors()],
            "`schema/world.schema.json` has every field",
        ) from error
    found = contradictions(world)
    if found:
        raise WorldError(
            [_contradiction(path, stated, document, file, lines) for path, stated in found],
            "each is marked; the local AWS could not do what the file states",
        )
    return world


def _document(source: str, file: str) -> Any:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    reader = YAML(typ="rt")
    reader.allow_duplicate_keys = False
    try:
        document = reader.load(source)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        lines = source.splitlines()
        line = min(mark.line, max(len(lines) - 1, 0)) if mark else 0
        raise WorldError(
            [
                WorldProblem(
                    f"not valid YAML: {error.problem or error.context}",
                    file,
                    line + 1,
                    mark.column + 1 if mark else 1,
                    lines[line] if lines else "",
                )
            ],
            "correct the YAML",
        ) from error
    except (YAMLError, ValueError, RecursionError) as error:
        raise WorldError([_unreadable(error, source, file)], "correct the YAML") from error
    if document is None:
        raise WorldError(
            [WorldProblem("the file is empty", file, 1, 1)], "start with `extends: generous`"
        )
    if not isinstance(document, dict):
        raise WorldError(
            [WorldProblem("a world is a mapping of fields", file, 1, 1)],
            "start with `extends: generous`",
        )
    if _values_in(document, {}) > MAX_WORLD_VALUES:
        raise WorldError(
            [
                WorldProblem(
                    f"with its aliases the file has more than {MAX_WORLD_VALUES} values",
                    file,
                    1,
                    1,
                )
            ],
            "write the values out, or remove the aliases",
        )
    return document


def _values_in(value: Any, known: dict[int, int]) -> int:
    """Return how many values there are if every alias is followed; `known` has them by id."""
    if not isinstance(value, (dict, list)):
        return 1
    if id(value) not in known:
        known[id(value)] = MAX_WORLD_VALUES + 1  # for a value that contains itself
        items = value.values() if isinstance(value, dict) else value
        known[id(value)] = 1 + sum(_values_in(item, known) for item in items)
    return known[id(value)]


def _unreadable(error: Exception, source: str, file: str) -> WorldProblem:
    """Return the problem of an unreadable document; an invalid character has only an offset."""
    offset = getattr(error, "position", None)
    if not isinstance(offset, int):
        return WorldProblem(f"not valid YAML: {error}", file, 1, 1)
    before = source[:offset].split("\n")
    stated = f"not valid YAML: the character #x{ord(source[offset]):04x} is not allowed"
    return WorldProblem(stated, file, len(before), len(before[-1]) + 1)


def _contradiction(
    path: Sequence[str | int], stated: str, document: Any, file: str, lines: Sequence[str]
) -> WorldProblem:
    line, column = _position(document, path) or (0, 0)
    name = _path_text(path if path[0] not in ("quotas", "usage") else path[:1])
    return WorldProblem(
        f"`{name}`: {stated}", file, line + 1, column + 1, lines[line] if line < len(lines) else ""
    )


def _problem(item: Any, document: Any, file: str, lines: Sequence[str]) -> WorldProblem:
    path = [part for part in item["loc"] if part != "[key]"]
    message = str(item["msg"]).removeprefix("Value error, ")
    name = _path_text(path)
    if item["type"] == "extra_forbidden":
        allowed = _fields_at(path[:-1])
        close = difflib.get_close_matches(str(path[-1]), allowed, n=1)
        message = f"there is no field `{name}`" + (
            f"; did you mean `{close[0]}`?" if close else ""
        )
    elif item["type"] == "missing":
        message = f"`{name}` is missing"
    else:
        sentence = message if message[1:2].isupper() else f"{message[0].lower()}{message[1:]}"
        message = f"`{name}`: {sentence}" if name else message
    position = _position(document, path, at_key=item["type"] == "extra_forbidden")
    if position is None:
        return WorldProblem(message, file, 1, 1, lines[0] if lines else "")
    line, column = position
    return WorldProblem(
        message, file, line + 1, column + 1, lines[line] if line < len(lines) else ""
    )


def _path_text(path: Iterable[str | int]) -> str:
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else (f".{part}" if text else str(part))
    return text


def _fields_at(path: Sequence[str | int]) -> list[str]:
    model: Any = World
    for part in path:
        if isinstance(part, int):
            continue
        field = model.model_fields.get(part)
        if field is None:
            return []
        model = next(
            (
                candidate
                for candidate in [field.annotation, *getattr(field.annotation, "__args__", ())]
                if isinstance(candidate, type) and issubclass(candidate, BaseModel)
            ),
            None,
        )
        if model is None:
            return []
    return list(model.model_fields)


def _position(
    document: Any, path: Sequence[str | int], *, at_key: bool = False
) -> tuple[int, int] | None:
    """Return line and column, from 0, of the deepest part of `path` that is in the file.

    With `at_key`, the position of the last part's key, not of its value.
    """
    found: tuple[int, int] | None = None
    node = document
    for depth, part in enumerate(path, 1):
        marks = getattr(getattr(node, "lc", None), "data", None)
        if not isinstance(marks, dict) or part not in marks:
            break
        mark = marks[part]
        # A mapping's mark is (key line, key column, value line, value column).
        value = len(mark) == 4 and not (at_key and depth == len(path))
        found = (mark[2], mark[3]) if value else (mark[0], mark[1])
        node = node[part]
    return found
