"""Edit single values of a YAML text and keep every other character, comments included.

The text is parsed again after each change, as files have only some hundred lines. A new value is
written in flow style, on one line.
"""

from __future__ import annotations

import io
from typing import Any

from clusterwright.cluster_spec.problems import Path


class Editor:
    """A YAML mapping as text. Paths contain the keys of mappings and the indices of lists."""

    def __init__(self, text: str) -> None:
        self.text = _with_block_root(text if text.endswith("\n") or not text else text + "\n")

    @property
    def data(self) -> dict[str, Any]:
        """The text as plain data; null is None."""
        from ruamel.yaml import YAML

        return YAML(typ="safe", pure=True).load(self.text) or {}

    def get(self, path: Path) -> Any:
        """The value at `path`; None where there is none."""
        value: Any = self.data
        for part in path:
            try:
                value = value[part]
            except (KeyError, IndexError, TypeError):
                return None
        return value

    def has(self, path: Path) -> bool:
        """Whether the text has a value at `path`."""
        parent = self.get(path[:-1])
        if isinstance(parent, dict):
            return path[-1] in parent
        return isinstance(parent, list) and isinstance(path[-1], int) and path[-1] < len(parent)

    def put(self, path: Path, value: Any, remark: str | None = None) -> None:
        """Set a value, which replaces an old one or becomes a new key; creates parent mappings."""
        if not path[:-1] or isinstance(self.get(path[:-1]), dict | list):
            if self.has(path):
                self._replace(path, value)
            else:
                self._insert(path, value, remark)
        else:
            self.put(path[:-1], {path[-1]: value}, remark)

    def delete(self, path: Path) -> None:
        """Delete a key or an entry, with the comment directly above it."""
        parent, entry = self._entry(path)
        start, value = entry
        if parent.flow_style:
            self._delete_from_flow(start.start_mark.index, value.end_mark.index)
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
            self.delete(path)

    def _delete_after_dash(self, lines: list[str], parent: Any, path: Path) -> None:
        """Delete the first key of a list's entry: the next one moves beside the dash."""
        pairs = parent.value
        here = next(i for i, (key, _) in enumerate(pairs) if key.value == path[-1])
        if here + 1 == len(pairs):
            self.delete(path[:-1])
            return
        first, following = pairs[here][0].start_mark, pairs[here + 1][0].start_mark
        dash = lines[first.line][: first.column]
        rest = "".join(lines[following.line :])[following.column :]
        self.text = "".join(lines[: first.line]) + dash + rest

    def _delete_from_flow(self, start: int, end: int) -> None:
        after = self.text[end:]
        rest = after.lstrip()
        if rest.startswith(","):
            self.text = self.text[:start] + rest[1:].lstrip()
        else:
            before = self.text[:start].rstrip()
            self.text = before.removesuffix(",").rstrip() + after

    def _replace(self, path: Path, value: Any) -> None:
        parent, (_, node) = self._entry(path)
        start = node.start_mark.index
        block = not parent.flow_style and node.start_mark.line != node.end_mark.line
        if not block:
            self.text = self.text[:start] + flow(value) + self.text[node.end_mark.index :]
            return
        lines = self.text.splitlines(keepends=True)
        key = self._entry(path)[1][0]
        last = _end_line(key, node)
        if isinstance(path[-1], int):
            head = lines[key.start_mark.line][: key.start_mark.column]
        else:
            head = lines[key.end_mark.line][: key.end_mark.column] + ": "
        self.text = "".join(
            [*lines[: key.start_mark.line], head + flow(value) + "\n", *lines[last + 1 :]]
        )

    def _insert(self, path: Path, value: Any, remark: str | None) -> None:
        node = self._node(path[:-1])
        is_list = isinstance(path[-1], int)
        word = flow(value) if is_list else f"{path[-1]}: {flow(value)}"
        if node is None or (not node.flow_style and not node.value):
            self.text += f"{word}\n"
            return
        if node.flow_style:
            end = node.end_mark.index - 1
            comma = ", " if node.value else ""
            self.text = self.text[:end].rstrip() + comma + word + self.text[end:]
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
        from ruamel.yaml import YAML

        node = YAML(pure=True).compose(io.StringIO(self.text))
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


def _with_block_root(text: str) -> str:
    """The text with one line for each top-level key, also if it is a mapping in braces.

    Sections are added and removed as lines.
    """
    from ruamel.yaml import YAML

    root = YAML(pure=True).compose(io.StringIO(text))
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
