"""YAML reader that returns plain data and the position of every key and value.

Anchors, aliases, merge keys and tags are refused: in a reviewed file each line shows its own
value. The parser's events are processed one by one, so that a refused file, however deep or large,
is never built in memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from clusterwright.cluster_spec.problems import Path, Position, Problem, SpecErrors
from clusterwright.cluster_spec.scalars import Ambiguous, plain, whole_characters

MAXIMUM_DEPTH = 40
"""Deeper than any key of the spec; protects the reader from a file full of brackets."""

MAXIMUM_PROBLEMS = 100
"""The rest of a file with more mistakes is not read: it is not a spec."""

LONGEST_KEY = 1024
"""YAML's own limit for keys without a question mark. Messages and paths repeat keys."""

MAXIMUM_EVENTS = 40_000
"""Keys, values, and ends of lists and mappings. A spec has some hundred; this protects from a file
that takes seconds to read."""

_NO_SPEC = "is this the right file?"

_LINE_END = re.compile(r"\r\n|\n|\r")

# Parts of the parser's messages, each with a hint.
_YAML_HINTS = {
    "'\\t'": "indent with spaces; YAML does not allow tabs",
    "mapping values are not allowed": "quote text that contains a colon and a space",
    "expected <block end>": "check the indentation of this line",
    "expected ',' or": "check for an open bracket or brace above",
    "<stream end>": "check for an open bracket, brace or quote above",
}


class Reader:
    """Reader of one text; collects every problem with a value instead of stopping at the first."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.lines = _LINE_END.split(text)
        self.values: dict[Path, Position] = {}
        self.keys: dict[Path, Position] = {}
        self.problems: list[Problem] = []
        self.skipped: list[Path] = []
        """Values that were not read, in addition to those with a problem."""
        self.incomplete: list[Path] = []
        """Mappings without keys that were merged into them."""
        self._anchors: dict[str, int] = {}
        """Index in `problems` of each anchor's problem."""
        self._text = text

    def read(self) -> Any:
        """Return the document's data, None if it is empty. Values with a problem are None.

        Raises
        ------
        SpecErrors
            The text is not YAML, has several documents, or is nested too deeply.
        """
        events = self._events()
        data = None
        documents = 0
        for event in events:
            if _is(event, "DocumentStart"):
                documents += 1
                if documents > 1:
                    hint = "use `---` at most once, at the top"
                    self._stop("a second document begins here", event, (), hint)
            elif not _is(event, "StreamStart", "StreamEnd", "DocumentEnd"):
                data = self._value(event, events, ())
        return data

    def _events(self) -> Iterator[Any]:
        from ruamel.yaml import YAML
        from ruamel.yaml.error import MarkedYAMLError, YAMLError
        from ruamel.yaml.reader import ReaderError

        try:
            for count, event in enumerate(YAML(typ="safe", pure=True).parse(self._text)):
                if count == MAXIMUM_EVENTS:
                    many = f"the file has more than {MAXIMUM_EVENTS:,} keys and values"
                    self._stop(f"{many}; the rest is not read", event, (), _NO_SPEC)
                yield event
        except MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            said = " ".join((error.problem or error.context or "not valid YAML").split())
            hint = next((text for part, text in _YAML_HINTS.items() if part in said), None)
            line, column = (mark.line, mark.column) if mark else (0, 0)
        except ReaderError as error:
            said = f"U+{ord(self._text[error.position]):04X} is not a character of a text file"
            hint = _NO_SPEC
            before = _LINE_END.split(self._text[: error.position])
            line, column = len(before) - 1, len(before[-1])
        except (YAMLError, ValueError) as error:
            said = " ".join(str(error).split()) or type(error).__name__
            hint, line, column = None, 0, 0
        else:
            return
        position = self._at(line, column, 1)
        problem = Problem(f"not valid YAML: {said}", hint=hint, position=position)
        raise SpecErrors([*self.problems, problem])

    def _value(self, event: Any, events: Iterator[Any], path: Path) -> Any:
        self.values[path] = self._of(event)
        if _is(event, "Alias") or event.anchor:
            self._refuse_anchor(event, path)
            return self._skip(event, events, path)
        if event.tag is not None:
            self._refuse(f"YAML tags are not allowed (`{event.tag}`)", event, path, _NO_TAG)
            return self._skip(event, events, path)
        if _is(event, "Scalar"):
            # A quoted scalar is always text.
            quoted = event.style in ('"', "'", "|", ">")
            return self._scalar(event, path, whole_characters if quoted else plain)
        if len(path) >= MAXIMUM_DEPTH:
            self._stop(f"nested more than {MAXIMUM_DEPTH} levels deep", event, path[:1], None)
        collect = self._mapping if _is(event, "MappingStart") else self._sequence
        return collect(event, events, path)

    def _sequence(self, start: Any, events: Iterator[Any], path: Path) -> list[Any]:
        items: list[Any] = []
        for event in events:
            if _is(event, "SequenceEnd"):
                self.values[path] = self._of(start, event)
                break
            items.append(self._value(event, events, (*path, len(items))))
        return items

    def _mapping(self, start: Any, events: Iterator[Any], path: Path) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for event in events:
            if _is(event, "MappingEnd"):
                self.values[path] = self._of(start, event)
                break
            key = self._key(event, events, path)
            value = next(events)
            if key is None:
                self._skip(value, events, path)
                continue
            here = (*path, key)
            if key in result:
                note = f"first at line {self.keys[here].line}"
                message = f"duplicate key `{key}`"
                self._refuse(message, event, here, note=note, on_key=True)
                self._skip(value, events, here)
                continue
            self.keys[here] = self._of(event)
            result[key] = self._value(value, events, here)
        return result

    def _key(self, event: Any, events: Iterator[Any], path: Path) -> str | None:
        if not _is(event, "Scalar", "Alias"):
            self._refuse("a key must be a string", event, (*path, "?"))
            self._skip(event, events, path)
            return None
        here = (*path, "?" if _is(event, "Alias") else event.value)
        if _is(event, "Alias") or event.anchor:
            self._refuse_anchor(event, here)
            return None
        if event.tag is not None:
            self._refuse(f"YAML tags are not allowed (`{event.tag}`)", event, here, _NO_TAG)
            return None
        if len(event.value) > LONGEST_KEY:
            message = f"a key must have at most {LONGEST_KEY:,} characters"
            self._refuse(message, event, (*path, "?"))
            return None
        if event.value == "<<" and not event.style:
            hint = "put settings shared by environments into base.yaml"
            self._refuse("merge keys (`<<`) are not allowed", event, here, hint)
            self.incomplete.append(path)
            return None
        key = self._scalar(event, (*path, "?"), whole_characters)
        return None if key is None else str(key)

    def _scalar(self, event: Any, path: Path, read: Callable[[str], Any]) -> Any:
        try:
            return read(str(event.value))
        except Ambiguous as error:
            self._refuse(error.message, event, path, error.hint)
            return None

    def _skip(self, event: Any, events: Iterator[Any], path: Path) -> None:
        """Skip the rest of the node that `event` begins."""
        depth = 0
        while True:
            depth += _is(event, "MappingStart", "SequenceStart")
            depth -= _is(event, "MappingEnd", "SequenceEnd")
            if depth > MAXIMUM_DEPTH:
                self._stop(f"nested more than {MAXIMUM_DEPTH} levels deep", event, path[:1], None)
            if depth == 0:
                return
            event = next(events)

    def _refuse_anchor(self, event: Any, path: Path) -> None:
        """Refuse an anchor and its aliases with one problem, at the first of them."""
        name = str(event.anchor)
        index = self._anchors.get(name)
        if index is None:
            self._anchors[name] = len(self.problems)
            self._refuse("anchors and aliases are not allowed", event, path, _NO_ANCHOR)
            return
        self.skipped.append(path)
        first, line = self.problems[index], event.start_mark.line + 1
        lines = first.note.partition("also at line ")[2].split(", ") if first.note else []
        if str(line) not in lines and len(lines) < _LINES_SHOWN:
            note = f"also at line {', '.join([*lines, str(line)])}"
            self.problems[index] = replace(first, note=note)

    def _refuse(
        self, message: str, event: Any, path: Path, hint: str | None = None, **more: Any
    ) -> None:
        position = self._of(event)
        self.problems.append(Problem(message, path, hint, position=position, **more))
        if len(self.problems) == MAXIMUM_PROBLEMS:
            self.problems.append(
                Problem(
                    f"the file has {MAXIMUM_PROBLEMS} problems up to here; the rest is not read",
                    hint=_NO_SPEC,
                    position=position,
                )
            )
            raise SpecErrors(self.problems)

    def _stop(self, message: str, event: Any, path: Path, hint: str | None) -> None:
        self._refuse(message, event, path, hint)
        raise SpecErrors(self.problems)

    def _of(self, start: Any, end: Any = None) -> Position:
        """Return the position of an event, limited to its first line."""
        first, last = start.start_mark, (end or start).end_mark
        length = last.column - first.column if last.line == first.line else 0
        if length <= 0:
            line = self.lines[first.line] if first.line < len(self.lines) else ""
            length = len(line[first.column :].rstrip())
        return self._at(first.line, first.column, max(1, length))

    def _at(self, line: int, column: int, length: int) -> Position:
        source = self.lines[line] if 0 <= line < len(self.lines) else ""
        return Position(self.file, line + 1, column + 1, length, source)


_LINES_SHOWN = 5
_NO_ANCHOR = "write out the value: each line must show its own value"
_NO_TAG = "write the plain value; quote it if it is text"


def _is(event: Any, *kinds: str) -> bool:
    return type(event).__name__.removesuffix("Event") in kinds
