"""Excerpt of a source file: the line, and carets under the value."""

from __future__ import annotations

import unicodedata

from clusterwright.cluster_spec.problems import Position, printable
from clusterwright.render.style import PLAIN, Style

__all__ = ["excerpt", "printable"]

MAXIMUM_SHOWN_CHARACTERS = 160
"""A longer line (generated YAML) is truncated around the value."""


def excerpt(position: Position, style: Style = PLAIN, *, meaning: str = "error") -> list[str]:
    """Three lines: `file:line:column`, the numbered source line, the carets.

    Only the first where the source line is unknown (an empty file, a file that was not read).
    """
    lines = [f"  {printable(position.file)}:{position.line}:{position.column}"]
    if not position.source_line.strip():
        return lines
    before, marked, after = _window(position)
    number = str(position.line)
    gutter = " " * len(number)
    lines.append(style.paint("dim", f"   {number} |") + f" {before}{marked}{after}".rstrip())
    carets = "^" * max(1, _columns(marked))
    lines.append(
        style.paint("dim", f"   {gutter} |") + f" {_blank(before)}" + style.paint(meaning, carets)
    )
    return lines


def _window(position: Position) -> tuple[str, str, str]:
    line = printable(position.source_line)
    start = min(position.column - 1, len(line))
    end = min(start + position.length, len(line))
    before, marked, after = line[:start], line[start:end], line[end:]
    if len(line) > MAXIMUM_SHOWN_CHARACTERS:
        marked = marked[:MAXIMUM_SHOWN_CHARACTERS]
        room = (MAXIMUM_SHOWN_CHARACTERS - len(marked)) // 2
        before = "…" + before[-room:] if room and len(before) > room else before
        after = after[:room] + "…" if len(after) > room else after
    return before, marked, after


def _blank(text: str) -> str:
    """Spaces as wide as `text` on a terminal: tabs stay tabs, wide characters count twice."""
    return "".join("\t" if c == "\t" else " " * _columns(c) for c in text)


def _columns(text: str) -> int:
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )
