"""Writes `docs/images/architecture.svg` from the import table of `pyproject.toml`.

`python -m tools.docs architecture`. A box is a package; an arrow points from it to a
package that it may import. An arrow that follows from others is left out (transitive reduction).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Final

from tools.import_table import parse_rows

ROOT: Final = Path(__file__).resolve().parents[2]
_WIDTH, _HEIGHT = 148, 34
_GAP_X, _GAP_Y, _MARGIN = 22, 56, 24
_STYLE = """\
    text { font: 13px sans-serif; fill: #1f2933; text-anchor: middle }
    rect { fill: #e8eef4; stroke: #52667a }
    rect.page { fill: #ffffff; stroke: none }
    path { fill: none; stroke: #7b8794; marker-end: url(#head) }
"""


def import_table(pyproject: Path = ROOT / "pyproject.toml") -> dict[str, frozenset[str]]:
    """Package -> packages that it may import.

    An entry of one module counts as its package, except where the package imports the row's own
    (`platforms.registry` in the row of `cluster_spec`): that module is then a box of its own.
    """
    contracts = tomllib.loads(pyproject.read_text())["tool"]["importlinter"]["contracts"]
    (rows,) = (contract["packages"] for contract in contracts if "packages" in contract)
    table = parse_rows(rows)
    product = {name for name in table if not name.startswith("clusterwright_")} - {"stacks"}
    whole = {
        name: product if "everything" in allowed else {one for one in allowed if "." not in one}
        for name, allowed in table.items()
    }
    found: dict[str, frozenset[str]] = {}
    for name, allowed in table.items():
        single = {one for one in allowed if "." in one}
        boxes = {one for one in single if name in _reached(whole, one.partition(".")[0])}
        packages = whole[name] | {one.partition(".")[0] for one in single - boxes}
        found[name] = frozenset((packages | boxes) - {name})
        found.update(dict.fromkeys(boxes, frozenset()))
    return found


def _reached(table: Mapping[str, Iterable[str]], name: str) -> set[str]:
    seen: set[str] = set()
    pending = [name]
    while pending:
        for other in table.get(pending.pop(), ()):
            if other not in seen:
                seen.add(other)
                pending.append(other)
    return seen


def levels(table: Mapping[str, frozenset[str]]) -> dict[str, int]:
    """Package -> row: 0 imports nothing, and each package is above all that it imports.

    Raises
    ------
    graphlib.CycleError
        The table has a circle.
    """
    found: dict[str, int] = {}
    for name in TopologicalSorter(table).static_order():
        found[name] = 1 + max((found[other] for other in table[name]), default=-1)
    return found


def arrows(table: Mapping[str, frozenset[str]]) -> list[tuple[str, str]]:
    """Pairs (importer, imported) that do not follow from other pairs."""
    return [
        (name, other)
        for name in sorted(table)
        for other in sorted(table[name])
        if not any(other in _reached(table, between) for between in table[name] - {other})
    ]


def drawing(table: Mapping[str, frozenset[str]]) -> str:
    """Return the table as an SVG image: the packages that import the most on top."""
    level = levels(table)
    rows = [sorted(n for n in level if level[n] == i) for i in range(max(level.values()), -1, -1)]
    width = 2 * _MARGIN + max(len(row) * (_WIDTH + _GAP_X) - _GAP_X for row in rows)
    height = 2 * _MARGIN + len(rows) * (_HEIGHT + _GAP_Y) - _GAP_Y
    at: dict[str, tuple[float, float]] = {}
    for i, row in enumerate(rows):
        left = (width - len(row) * (_WIDTH + _GAP_X) + _GAP_X) / 2
        for j, name in enumerate(row):
            at[name] = (left + j * (_WIDTH + _GAP_X), _MARGIN + i * (_HEIGHT + _GAP_Y))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" '
        'aria-label="Packages, and which package may import which">',
        f"  <style>\n{_STYLE}  </style>",
        '  <defs><marker id="head" markerWidth="8" markerHeight="8" refX="7" refY="4" '
        'orient="auto"><path d="M0,0 L8,4 L0,8 z" style="fill: #7b8794; stroke: none; '
        'marker-end: none"/></marker></defs>',
        f'  <rect class="page" width="{width}" height="{height}"/>',
    ]
    for name, other in arrows(table):
        (x1, y1), (x2, y2) = at[name], at[other]
        x1, y1, x2 = x1 + _WIDTH / 2, y1 + _HEIGHT, x2 + _WIDTH / 2
        bend = (y2 - y1) / 2
        lines.append(
            f'  <path d="M{x1:g},{y1:g} '
            f'C{x1:g},{y1 + bend:g} {x2:g},{y2 - bend:g} {x2:g},{y2:g}"/>'
        )
    for name, (x, y) in sorted(at.items()):
        lines.append(f'  <rect x="{x:g}" y="{y:g}" width="{_WIDTH}" height="{_HEIGHT}" rx="6"/>')
        text = name.replace("clusterwright_", "packages/")
        lines.append(f'  <text x="{x + _WIDTH / 2:g}" y="{y + _HEIGHT / 2 + 4.5:g}">{text}</text>')
    return "\n".join([*lines, "</svg>", ""])
