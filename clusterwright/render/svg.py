"""Marks of charts as SVG: every mark has its text, and colours are classes of the page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

WIDTH: Final = 760
FILLS: Final = tuple(f"f{index}" for index in range(8))
"""Classes whose colours the page defines, for light and dark; they differ in lightness too."""


def bar(x: float, y: float, width: float, height: float, fill: str, title: str) -> str:
    """A bar of a class; its title is shown under the pointer."""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.2f}" height="{height:.1f}" class="{fill}">'
        f"<title>{escape(title)}</title></rect>"
    )


def label(x: float, y: float, words: str, *, anchor: str = "start") -> str:
    """Words at a point."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def grid(x: float, width: float, y: float) -> str:
    """A horizontal line of the grid."""
    return f'<line x1="{x:.1f}" x2="{x + width:.1f}" y1="{y:.1f}" y2="{y:.1f}" class="grid"/>'


def legend(names: Sequence[tuple[str, str]], y: float) -> list[str]:
    """Pairs of a name and a class, in one row."""
    parts, at = [], 20.0
    for name, fill in names:
        parts.append(bar(at, y, 12, 12, fill, name))
        parts.append(label(at + 16, y + 10, name))
        at += 30 + 7 * len(name)
    return parts


def figure(height: float, parts: Sequence[str], title: str) -> str:
    """A chart with its caption, as wide as `WIDTH`."""
    return (
        f"<figure><figcaption>{escape(title)}</figcaption>"
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(title)}">'
        f"{''.join(parts)}</svg></figure>"
    )
