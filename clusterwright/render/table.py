"""Text and Markdown tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from clusterwright.render.markdown import escaped

Align = Literal["left", "right"]


def counted(count: int, noun: str) -> str:
    """`1 node`, `2,048 nodes`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def columns(rows: Sequence[Sequence[str]], aligns: Sequence[Align], *, gap: int = 2) -> list[str]:
    """The rows as lines with padded cells, without trailing spaces."""
    widths = [max((len(row[i]) for row in rows), default=0) for i in range(len(aligns))]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if align == "right" else cell.ljust(width)
            for cell, width, align in zip(row, widths, aligns, strict=True)
        ]
        lines.append((" " * gap).join(cells).rstrip())
    return lines


def markdown_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], aligns: Sequence[Align]
) -> list[str]:
    """A Markdown table; cells are escaped."""
    rule = ["---:" if align == "right" else "---" for align in aligns]
    return [
        _row(header),
        _row(rule),
        *(_row([markdown_cell(cell) for cell in row]) for row in rows),
    ]


def markdown_cell(text: str) -> str:
    """Text escaped for a cell of a Markdown table, or a line of Markdown."""
    return escaped(text)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
