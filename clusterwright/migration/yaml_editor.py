"""Edit single values of a YAML text and keep every other character, comments included.

The text is parsed again after each change, as files have only some hundred lines. A new value is
written in flow style, on one line. A change that would not have its meaning, because of a layout
that is not foreseen here, rewrites its whole section and keeps the section's comments above it.
"""

from __future__ import annotations

import copy
import io
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from clusterwright.cluster_spec.problems import Path


class Editor:
    """A YAML mapping as text. Paths contain the keys of mappings and the indices of lists."""

    def __init__(self, text: str) -> None:
        self.text = _with_block_root(text if text.endswith("\n") or not text else text + "\n")

    @property
    def data(self) -> dict[str, Any]:
        """The text as plain data; null is None."""
        return copy.deepcopy(_data(self.text))

    def get(self, path: Path) -> Any:
        """The value at `path`; None where there is none."""
        value: Any = _data(self.text)
        for part in path:
            try:
                value = value[part]
            except (KeyError, IndexError, TypeError):
                return None
        return copy.deepcopy(value)

    def has(self, path: Path) -> bool:
        """Whether the text has a value at `path`."""
        parent = self.get(path[:-1])
        if isinstance(parent, dict):
            return path[-1] in parent
        return isinstance(parent, list) and isinstance(path[-1], int) and path[-1] < len(parent)

    def put(self, path: Path, value: Any, remark: str | None = None) -> None:
        """Set a value, which replaces an old one or becomes a new key; creates parent mappings."""
        if path[:-1] and not isinstance(self.get(path[:-1]), dict | list):
            self.put(path[:-1], {path[-1]: value}, remark)
            return
        expected = self.data
        parent = _at(expected, path[:-1])
        if isinstance(parent, list) and path[-1] == len(parent):
            parent.append(value)
        else:
            parent[path[-1]] = value
        if self.has(path):
            self._apply(lambda: self._replace(path, value), path, expected)
        else:
            self._apply(lambda: self._insert(path, value, remark), path, expected)

    def delete(self, path: Path) -> None:
        """Delete a key or an entry, with the comment directly above it.

        A mapping or a list in lines that loses its last entry is deleted too, and so is a mapping
        in braces that is the value of a key.
        """
        above = path[:-1]
        mapping = self.get(above)
        is_last = isinstance(mapping, dict) and list(mapping) == [path[-1]]
        if above and is_last and isinstance(above[-1], str):
            self.delete(above)
            return
        expected = self.data
        here = path
        while True:
            del _at(expected, here[:-1])[here[-1]]
            here = here[:-1]
            if not here or _at(expected, here) or self._node(here).flow_style:
                break
        self._apply(lambda: self._delete(path), path, expected)

    def _apply(self, edit: Callable[[], None], path: Path, expected: dict[str, Any]) -> None:
        """Edit the text; where it then does not hold `expected`, rewrite the section instead."""
        from ruamel.yaml.error import YAMLError

        before = self.text
        try:
            edit()
            if _data(self.text) == expected:
                return
        except (YAMLError, LookupError, StopIteration):
            pass
        self.text = before
        self._rewrite_section(str(path[0]), expected)

    def _rewrite_section(self, key: str, expected: dict[str, Any]) -> None:
        line = f"{key}: {flow(expected[key])}\n" if key in expected else ""
        if key not in _data(self.text):
            self.text += line
            return
        _, (start, value) = self._entry((key,))
        lines = self.text.splitlines(keepends=True)
        first, last = start.start_mark.line, _end_line(start, value)
        begin, end = sum(map(len, lines[:first])), sum(map(len, lines[: last + 1]))
        comments = "".join(f"{text}\n" for text in self._comments_between(begin, end))
        # An indented comment would become part of a block of text above it.
        rest = last + 1
        while rest < len(lines) and lines[rest].lstrip(" ").startswith("#"):
            lines[rest] = lines[rest].lstrip(" ")
            rest += 1
        self.text = "".join([*lines[:first], comments, line, *lines[last + 1 :]])

    def _comments_between(self, begin: int, end: int) -> Iterator[str]:
        """The comments of a part of the text, which begins and ends outside of any."""
        scalars = [mark for mark in _scalars(_root(self.text)) if begin <= mark[0] < end]
        inside = {place for first, last in scalars for place in range(first, min(last, end))}
        place = begin
        while place < end:
            if self.text[place] == "#" and place not in inside:
                line = self.text[place:].partition("\n")[0]
                yield line.rstrip()
                place += len(line)
            place += 1

    def _delete(self, path: Path) -> None:
        parent, entry = self._entry(path)
        start, value = entry
        if parent.flow_style:
            self._delete_from_flow(parent, path[-1])
            return
        lines = self.text.splitlines(keepends=True)
        first, last = start.start_mark.line, _end_line(start, value)
        column = start.start_mark.column
        dashed = "-" in lines[first][:column]
        if dashed and not isinstance(path[-1], int):
            self._delete_after_dash(lines, parent, path)
            return
        if isinstance(path[-1], int):
            # The dash may be on a line of its own above the entry.
            while not lines[first].lstrip(" ").startswith("-"):
                first -= 1
        while first and _is_comment(lines[first - 1], _indent(lines[first])):
            first -= 1
        self.text = "".join([*lines[:first], *lines[last + 1 :]])
        self._fill(path[:-1])

    def _fill(self, path: Path) -> None:
        """Delete a mapping or a list that has lost its last entry."""
        if path and self.get(path) is None and self.has(path):
            self._delete(path)

    def _delete_after_dash(self, lines: list[str], parent: Any, path: Path) -> None:
        """Delete the first key of a list's entry: the next one moves beside the dash."""
        pairs = parent.value
        here = next(i for i, (key, _) in enumerate(pairs) if key.value == path[-1])
        if here + 1 == len(pairs):
            self._delete(path[:-1])
            return
        first, following = pairs[here][0].start_mark, pairs[here + 1][0].start_mark
        dash = lines[first.line][: first.column]
        rest = "".join(lines[following.line :])[following.column :]
        self.text = "".join(lines[: first.line]) + dash + rest

    def _delete_from_flow(self, parent: Any, part: str | int) -> None:
        ends = [_span(item) for item in parent.value]
        here = next(i for i, item in enumerate(parent.value) if part in (i, _name(item)))
        start, end = ends[here]
        comma = _comma(self.text, end)
        if comma is not None:
            between = self.text[end:comma].lstrip(" ")
            rest = self.text[comma + 1 :]
            self.text = self.text[:start] + between + _without_space(rest)
            return
        begin = ends[here - 1][1] if here else parent.start_mark.index + 1
        gap = self.text[begin:start]
        comma = _comma(self.text, begin) if here else None
        if "#" not in gap:
            gap = ""
        elif comma is not None:
            gap = self.text[begin:comma] + self.text[comma + 1 : start]
        self.text = self.text[:begin] + gap + self.text[end:]

    def _replace(self, path: Path, value: Any) -> None:
        parent, (_, node) = self._entry(path)
        start = node.start_mark.index
        if node.value == "" and node.style is None and isinstance(path[-1], str):
            self._fill_empty(self._entry(path)[1][0], value)
            return
        block = not parent.flow_style and node.start_mark.line != node.end_mark.line
        if not block:
            comments = list(self._comments_between(start, node.end_mark.index))
            self.text = self.text[:start] + flow(value) + self.text[node.end_mark.index :]
            self._put_above(path, comments)
            return
        lines = self.text.splitlines(keepends=True)
        key = self._entry(path)[1][0]
        last = _end_line(key, node)
        if isinstance(path[-1], int):
            head = lines[key.start_mark.line][: key.start_mark.column]
        else:
            head = lines[key.end_mark.line][: key.end_mark.column] + ": "
        begin = sum(map(len, lines[: key.start_mark.line]))
        end = sum(map(len, lines[: last + 1]))
        indent = " " * _indent(lines[key.start_mark.line])
        comments = [f"{indent}{text}\n" for text in self._comments_between(begin, end)]
        self.text = "".join(
            [
                *lines[: key.start_mark.line],
                *comments,
                head + flow(value) + "\n",
                *lines[last + 1 :],
            ]
        )

    def _put_above(self, path: Path, comments: list[str]) -> None:
        """Write comments above the line on which the innermost entry without brackets begins."""
        if not comments:
            return
        depth = next(
            d for d in range(len(path), 0, -1) if not self._node(path[: d - 1]).flow_style
        )
        line = self._entry(path[:depth])[1][0].start_mark.line
        lines = self.text.splitlines(keepends=True)
        indent = " " * _indent(lines[line])
        above = [f"{indent}{text}\n" for text in comments]
        self.text = "".join([*lines[:line], *above, *lines[line:]])

    def _fill_empty(self, key: Any, value: Any) -> None:
        """Write the value of a key that has none, behind its colon."""
        colon = self.text.index(":", key.end_mark.index) + 1
        self.text = f"{self.text[:colon]} {flow(value)}{self.text[colon:]}"

    def _insert(self, path: Path, value: Any, remark: str | None) -> None:
        node = self._node(path[:-1])
        is_list = isinstance(path[-1], int)
        word = flow(value) if is_list else f"{path[-1]}: {flow(value)}"
        if node is None or (not node.flow_style and not node.value):
            self.text += f"{word}\n"
            return
        if node.flow_style:
            end = node.end_mark.index - 1
            begin = _span(node.value[-1])[1] if node.value else node.start_mark.index + 1
            rest = self.text[begin:end]
            comma = ", " if node.value else ""
            if "#" not in rest and "," not in rest:
                rest = ""
            elif rest.startswith("#"):
                rest = f" {rest}"
            self.text = self.text[:begin] + comma + word + rest + self.text[end:]
            return
        lines = self.text.splitlines(keepends=True)
        first = node.value[0] if is_list else node.value[0][0]
        at = _last_line(node) + 1
        column = node.start_mark.column if is_list else first.start_mark.column
        line = " " * column + ("- " if is_list else "") + word
        if remark:
            line += f"  # {remark}"
        if lines and not lines[at - 1].endswith("\n"):
            lines[at - 1] += "\n"
        self.text = "".join([*lines[:at], f"{line}\n", *lines[at:]])

    def _node(self, path: Path) -> Any:
        node = _root(self.text)
        for part in path:
            node = _child(node, part)[1]
        return node

    def _entry(self, path: Path) -> tuple[Any, tuple[Any, Any]]:
        """The node that holds the last part of `path`, and that part's key and value."""
        parent = self._node(path[:-1])
        return parent, _child(parent, path[-1])

    def section(self, key: str) -> str:
        """The text of a top-level key, with the comment directly above it."""
        _, (start, value) = self._entry((key,))
        lines = self.text.splitlines(keepends=True)
        first = start.start_mark.line
        while first and _is_comment(lines[first - 1], 0):
            first -= 1
        return "".join(lines[first : _end_line(start, value) + 1])


@lru_cache(maxsize=32)
def _parsed(text: str) -> tuple[Any, dict[str, Any]]:
    """The root node of a text, and its data. Edits are tried and taken back."""
    from ruamel.yaml import YAML

    yaml = YAML(typ="safe", pure=True)
    root = yaml.compose(text)
    return root, (None if root is None else yaml.constructor.construct_document(root)) or {}


def _data(text: str) -> dict[str, Any]:
    return _parsed(text)[1]


def _root(text: str) -> Any:
    return _parsed(text)[0]


def _at(data: Any, path: Path) -> Any:
    for part in path:
        data = data[part]
    return data


def _scalars(node: Any) -> Iterator[tuple[int, int]]:
    """The first and last place of every scalar below a node."""
    if node is None:
        return
    if not isinstance(node.value, list):
        yield node.start_mark.index, node.end_mark.index
        return
    for item in node.value:
        for part in item if isinstance(item, tuple) else (item,):
            yield from _scalars(part)


def _span(item: Any) -> tuple[int, int]:
    """Where an entry of a collection in brackets begins and ends."""
    key, value = item if isinstance(item, tuple) else (item, item)
    return key.start_mark.index, max(key.end_mark.index, value.end_mark.index)


def _name(item: Any) -> str | None:
    return str(item[0].value) if isinstance(item, tuple) else None


def _comma(text: str, place: int) -> int | None:
    """The next comma, where only spaces and comments lie between."""
    while place < len(text) and text[place] in " \n#":
        if text[place] == "#":
            place = text.find("\n", place)
            if place < 0:
                return None
        place += 1
    return place if text[place : place + 1] == "," else None


def _without_space(text: str) -> str:
    """The text without spaces at its start; a comment keeps one before it."""
    stripped = text.lstrip(" \n")
    return f" {stripped}" if stripped.startswith("#") else stripped


def _with_block_root(text: str) -> str:
    """The text with one line for each top-level key, also if it is a mapping in braces.

    Sections are added and removed as lines.
    """
    root = _root(text)
    if root is None or not isinstance(root.value, list) or not root.flow_style:
        return text
    parts = [text[: root.start_mark.index]]
    end = root.start_mark.index + 1
    for key, value in root.value:
        parts.append(_comments(text[end : key.start_mark.index]))
        end = max(key.end_mark.index, value.end_mark.index)
        name = text[key.start_mark.index : key.end_mark.index]
        written = text[value.start_mark.index : value.end_mark.index]
        parts.append(f"{name}: {written.rstrip()}".rstrip().replace("\n", "\n  ") + "\n")
    parts.append(_comments(text[end : root.end_mark.index - 1]))
    rest = text[root.end_mark.index :].lstrip(" \n")
    return "".join([*parts, rest])


def _comments(text: str) -> str:
    """The comments between two entries of a mapping in braces, each on a line of its own."""
    marks = [line.find("#") for line in text.splitlines()]
    lines = zip(text.splitlines(), marks, strict=True)
    return "".join(f"{line[mark:]}\n" for line, mark in lines if mark >= 0)


def flow(value: Any) -> str:
    """A value on one line, as a person would write it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{flow(k)}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    from ruamel.yaml import YAML

    stream = io.StringIO()
    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = True
    yaml.width = 100_000
    yaml.dump([value], stream)
    return stream.getvalue().strip()[1:-1]


def _child(node: Any, part: str | int) -> tuple[Any, Any]:
    if isinstance(part, int):
        return node.value[part], node.value[part]
    for key, value in node.value:
        if key.value == part:
            return key, value
    raise KeyError(part)


def _last_line(node: Any) -> int:
    """The last line that belongs to a node; a block ends where the next node begins."""
    if getattr(node, "flow_style", None) or isinstance(node.value, str) or not node.value:
        end = node.end_mark
        if isinstance(node.value, str) and node.style in ("|", ">") and end.column == 0:
            return int(end.line) - 1
        return int(end.line)
    final = node.value[-1]
    return _end_line(*final) if isinstance(final, tuple) else _last_line(final)


def _end_line(key: Any, value: Any) -> int:
    """The last line of a key with its value; an absent value ends with its key."""
    if value.value == "" and value.style is None:
        return int(key.end_mark.line)
    return _last_line(value)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _is_comment(line: str, indent: int) -> bool:
    return line.lstrip(" ").startswith("#") and _indent(line) == indent and "$schema=" not in line
