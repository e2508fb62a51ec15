"""Reads one YAML file into plain data and remembers where every key and value stands.

Anchors, aliases, merge keys and tags are refused: a reviewed file says what it means in place, and
what a reader sees on a line is what is built. Only YAML 1.2's plain types are understood.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

from clusterwright.spec.problems import Path, Position, Problem, SpecErrors

MAXIMUM_FILE_BYTES = 1_000_000
"""A cluster of a thousand nodes is 200 lines; a file larger than this is not a spec."""

MAXIMUM_DEPTH = 40
"""Deeper than any key of the spec; guards the reader against a file made of brackets."""

MAXIMUM_DIGITS = 18
"""More digits than any quantity has; what is longer is an identifier without its quotes."""

# YAML 1.2's plain types, except that a leading zero is asked about: is it text, octal or decimal?
_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_BOOLEANS = {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_LINE_END = re.compile(r"\r\n|\n|\r")
_TAG = "tag:yaml.org,2002:"

# Parts of the parser's messages, and what the reader can do about each.
_YAML_HINTS = {
    "'\\t'": "indent with spaces; YAML takes no tabs",
    "mapping values are not allowed": "quote text that holds a colon and a space",
    "expected <block end>": "is this line indented like its neighbours?",
    "another document": "a spec is one document: `---` stands at most once, at the top",
    "expected ',' or": "is a bracket or brace still open above?",
    "<stream end>": "is a bracket, brace or quote still open above?",
}


@dataclass
class Document:
    """Plain data of one file, with the position of each key and value by path.

    `problems` holds what is wrong with single values; they are left out of `data`, so that the
    rest of the file can still be examined.
    """

    file: str
    data: dict[str, Any]
    lines: list[str]
    problems: list[Problem] = field(default_factory=list)
    values: dict[Path, Position] = field(default_factory=dict)
    keys: dict[Path, Position] = field(default_factory=dict)

    def position(self, path: Path, *, on_key: bool = False) -> Position | None:
        """Where `path` stands, or its nearest ancestor that is written in this file."""
        first, second = (self.keys, self.values) if on_key else (self.values, self.keys)
        for end in range(len(path), -1, -1):
            here = path[:end]
            # A value that is missing is shown at the key of what should have held it.
            if end < len(path):
                first, second = self.keys, self.values
            position = first.get(here) or second.get(here)
            if position is not None:
                return position
        return None


def read_document(path: str | os.PathLike[str]) -> Document:
    """Read and parse one file.

    Raises
    ------
    SpecErrors
        The file cannot be read, is not YAML, or is not a mapping. Repeated keys, anchors and tags
        are in the document's `problems`.
    """
    return parse_document(_read_text(FilePath(path)), os.fspath(path))


def parse_document(text: str, file: str) -> Document:
    """Parse the text of one file; `file` is the name that errors show. Raises SpecErrors."""
    lines = _LINE_END.split(text)
    node = _compose(text, file, lines)
    reader = _Reader(file, lines)
    data = reader.read(node, ()) if node is not None else None
    if isinstance(data, dict):
        return Document(file, data, lines, reader.problems, reader.values, reader.keys)
    raise SpecErrors(reader.problems or [_no_mapping(data, reader.values.get(()), file)])


def _no_mapping(data: Any, position: Position | None, file: str) -> Problem:
    position = position or Position(file, 1, 1)
    if data is None:
        return Problem(
            "the file is empty",
            hint="`clusterwright init --platform hyperpod-slurm` writes one to start from",
            position=position,
        )
    return Problem(
        f"a spec is a mapping of keys to values, this is {kind_of(data)}", position=position
    )


def _compose(text: str, file: str, lines: list[str]) -> Any:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError
    from ruamel.yaml.reader import ReaderError

    try:
        return YAML(typ="safe", pure=True).compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        position = _position(file, lines, mark.line, mark.column, 1) if mark else None
        said = " ".join((error.problem or error.context or "not valid YAML").split())
        hint = next((text for part, text in _YAML_HINTS.items() if part in said), None)
        problem = Problem(f"not valid YAML: {said}", hint=hint, position=position)
    except ReaderError as error:
        before = _LINE_END.split(text[: error.position])
        problem = Problem(
            f"not valid YAML: U+{ord(text[error.position]):04X} is no character of a text file",
            hint="is this the right file?",
            position=_position(file, lines, len(before) - 1, len(before[-1]), 1),
        )
    except RecursionError:
        problem = Problem(
            f"nested deeper than {MAXIMUM_DEPTH}", position=_position(file, lines, 0, 0, 1)
        )
    except (YAMLError, ValueError) as error:
        said = " ".join(str(error).split()) or type(error).__name__
        problem = Problem(f"not valid YAML: {said}", position=_position(file, lines, 0, 0, 1))
    raise SpecErrors([problem]) from None


def kind_of(value: object) -> str:
    """The name of a value's kind as a user would say it."""
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return "true or false"
    return {
        dict: "a mapping",
        list: "a list",
        str: "a text",
        int: "a whole number",
        float: "a number",
    }.get(type(value), type(value).__name__)


class _Reader:
    """Walks the node tree; collects every problem instead of stopping at the first."""

    def __init__(self, file: str, lines: list[str]) -> None:
        self.file = file
        self.lines = lines
        self.values: dict[Path, Position] = {}
        self.keys: dict[Path, Position] = {}
        self.problems: list[Problem] = []
        self._open: set[int] = set()

    def read(self, node: Any, path: Path) -> Any:
        position = self._of(node)
        self.values[path] = position
        if len(path) > MAXIMUM_DEPTH:
            self.problems.append(
                Problem(f"nested deeper than {MAXIMUM_DEPTH}", path[:1], position=position)
            )
            return None
        if self._anchored(node, path):
            return None
        kind = type(node).__name__
        if kind == "MappingNode":
            return self._mapping(node, path)
        if kind == "SequenceNode":
            if self._tagged(node, "seq", path):
                return None
            return [self.read(item, (*path, index)) for index, item in enumerate(node.value)]
        return self._scalar(node, path)

    def _mapping(self, node: Any, path: Path) -> Any:
        if self._tagged(node, "map", path):
            return None
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = self._key(key_node, path)
            if key is None:
                continue
            here = (*path, key)
            if key in result:
                self.problems.append(
                    Problem(
                        f"the key `{key}` is written twice",
                        here,
                        on_key=True,
                        note=f"first at line {self.keys[here].line}",
                        position=self._of(key_node),
                    )
                )
                continue
            self.keys[here] = self._of(key_node)
            result[key] = self.read(value_node, here)
        return result

    def _key(self, node: Any, path: Path) -> str | None:
        position = self._of(node)
        if type(node).__name__ != "ScalarNode":
            self.problems.append(Problem("a key must be a word", (*path, "?"), position=position))
            return None
        key = self._whole_characters(str(node.value), node, (*path, "?"))
        if key is None:
            return None
        if key == "<<":
            self.problems.append(
                Problem(
                    "merge keys (`<<`) are not allowed",
                    (*path, key),
                    hint="put what environments share into base.yaml",
                    position=position,
                )
            )
            return None
        here = (*path, key)
        if self._anchored(node, here) or (
            _explicit(node, self.lines) and self._refuse_tag(node, here)
        ):
            return None
        return key

    def _scalar(self, node: Any, path: Path) -> Any:
        text = str(node.value)
        # A quoted scalar is text, whatever it looks like.
        if node.style in ('"', "'", "|", ">"):
            if self._tagged(node, "str", path):
                return None
            return self._whole_characters(text, node, path)
        if _explicit(node, self.lines):
            self._refuse_tag(node, path)
            return None
        if text in _NULL:
            return None
        if text in _BOOLEANS:
            return _BOOLEANS[text]
        if _LEADING_ZERO.fullmatch(text) or (
            _INTEGER.fullmatch(text) and len(text) > MAXIMUM_DIGITS
        ):
            return self._digits(text, path, node)
        if _INTEGER.fullmatch(text):
            return int(text)
        if _FLOAT.fullmatch(text):
            number = float(text)
            return number if abs(number) != float("inf") else text
        return text

    def _whole_characters(self, text: str, node: Any, path: Path) -> str | None:
        r"""`text` with JSON's surrogate pairs (`\ud83d\ude80`) joined; half of one is wrong."""
        if not any("\ud800" <= character <= "\udfff" for character in text):
            return text
        try:
            return text.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            problem = Problem(
                "half a character (a surrogate that has no partner)",
                path,
                hint="write the character itself",
                position=self._of(node),
            )
            self.problems.append(problem)
            return None

    def _digits(self, text: str, path: Path, node: Any) -> None:
        if len(text) > MAXIMUM_DIGITS:
            shown = text if len(text) <= 2 * MAXIMUM_DIGITS else f"{text[:MAXIMUM_DIGITS]}..."
            message = f"{shown} is too large for a number"
            hint = "quote it if it is text"
        else:
            message = f"{text} begins with a zero: text, octal or decimal?"
            hint = f'quote it if it is text ("{text}"); drop the zero if it is a number'
        self.problems.append(Problem(message, path, hint=hint, position=self._of(node)))

    def _anchored(self, node: Any, path: Path) -> bool:
        alias = id(node) in self._open
        if not alias and not getattr(node, "anchor", None):
            self._open.add(id(node))
            return False
        # An alias is the anchor's node again; where it stands itself only its key knows.
        position = self.keys.get(path) if alias else None
        self._open.add(id(node))
        self.problems.append(
            Problem(
                "anchors and aliases are not allowed",
                path,
                hint="write the value out: a reader sees what a line says, not what it points to",
                position=position or self._of(node),
            )
        )
        return True

    def _tagged(self, node: Any, expected: str, path: Path) -> bool:
        if str(node.tag) == _TAG + expected and not _explicit(node, self.lines):
            return False
        self._refuse_tag(node, path)
        return True

    def _refuse_tag(self, node: Any, path: Path) -> bool:
        self.problems.append(
            Problem(
                f"YAML tags are not allowed (`{node.tag}`)",
                path,
                hint="write the plain value; quote it if it is text",
                position=self._of(node),
            )
        )
        return True

    def _of(self, node: Any) -> Position:
        start, end = node.start_mark, node.end_mark
        length = end.column - start.column if end.line == start.line else 0
        if length <= 0:
            rest = self.lines[start.line][start.column :] if start.line < len(self.lines) else ""
            length = len(rest.rstrip())
        return _position(self.file, self.lines, start.line, start.column, max(1, length))


def _explicit(node: Any, lines: list[str]) -> bool:
    mark = node.start_mark
    line = lines[mark.line] if mark.line < len(lines) else ""
    return line[mark.column : mark.column + 1] == "!"


def _position(file: str, lines: list[str], line: int, column: int, length: int) -> Position:
    source = lines[line] if 0 <= line < len(lines) else ""
    return Position(file, line + 1, column + 1, length, source)


def _read_text(path: FilePath) -> str:
    try:
        if path.is_dir():
            raise SpecErrors(
                [
                    Problem(
                        f"{path} is a directory, not a file",
                        hint="name a file, such as configs/dev.yaml",
                    )
                ]
            )
        size = path.stat().st_size
        if size > MAXIMUM_FILE_BYTES:
            raise SpecErrors(
                [
                    Problem(
                        f"{path} has {size:,} bytes; a spec has at most {MAXIMUM_FILE_BYTES:,}",
                        hint="is this the right file?",
                    )
                ]
            )
        with path.open("rb") as stream:
            # A device or a pipe has no size: read no more than is allowed.
            raw = stream.read(MAXIMUM_FILE_BYTES + 1)
    except FileNotFoundError:
        raise SpecErrors([Problem(f"{path} does not exist", hint=_nearby(path))]) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SpecErrors([Problem(f"{path} cannot be read: {reason}")]) from None
    if len(raw) > MAXIMUM_FILE_BYTES:
        raise SpecErrors([Problem(f"{path} has more than {MAXIMUM_FILE_BYTES:,} bytes")])
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        problem = Problem(
            "the file is not UTF-8 text",
            hint="save it as UTF-8; is this the right file?",
            position=Position(str(path), line, 1),
        )
        raise SpecErrors([problem]) from None


def _nearby(path: FilePath) -> str | None:
    from clusterwright.spec.suggest import closest

    try:
        names = [p.name for p in path.parent.iterdir() if p.suffix in (".yaml", ".yml")]
    except OSError:
        return f"{path.parent} does not exist either"
    near = closest(path.name, names, count=1)
    if near:
        return f"did you mean {path.parent / near[0]}?"
    return f"{path.parent} holds: {', '.join(sorted(names))}" if names else None
