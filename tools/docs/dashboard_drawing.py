"""Writes docs/images/dashboard-NAME.svg: the layout of a dashboard in Grafana's grid."""

from __future__ import annotations

import textwrap
from html import escape
from typing import Final

from clusterwright.monitoring.metrics import metrics
from clusterwright.monitoring.panels import COLUMNS, Dashboard, Panel, Row, placed
from clusterwright.monitoring.promql import uses

_COLUMN, _LINE = 40, 12
_MARGIN = 12
_GAP = 4
_CHARACTER = 7.2
"""Width of a character of 13 px, on average."""
_STYLE: Final = """\
    text { font: 13px sans-serif; fill: #1f2933 }
    text.row { font-weight: bold }
    text.unit { font-size: 11px; fill: #52667a }
    rect { fill: #e8eef4; stroke: #52667a }
    rect.hardware { fill: #fdf1dc; stroke: #a5741b }
    rect.page { fill: #ffffff; stroke: none }
"""


def is_of_hardware(panel: Panel) -> bool:
    """Whether only hardware feeds the panel: each of its queries has such a metric."""
    return all(
        any(metrics()[use.metric].hardware_only for use in uses(query.expression))
        for query in panel.queries
    )


def drawing(dashboard: Dashboard) -> str:
    """The grid of a dashboard as an SVG image."""
    items = list(placed(dashboard))
    width = 2 * _MARGIN + COLUMNS * _COLUMN
    height = 2 * _MARGIN + max(item.y + item.height for item in items) * _LINE
    title = escape(f"Layout of the dashboard {dashboard.title}")
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-label="{title}">',
        f"  <style>\n{_STYLE}  </style>",
        f'  <rect class="page" width="{width}" height="{height}"/>',
    ]
    for item in items:
        x, y = _MARGIN + item.x * _COLUMN, _MARGIN + item.y * _LINE
        if isinstance(item.item, Row):
            lines.append(
                f'  <text class="row" x="{x}" y="{y + 10}">{escape(item.item.title)}</text>'
            )
            continue
        across, down = item.width * _COLUMN - _GAP, item.height * _LINE - _GAP
        kind = ' class="hardware"' if is_of_hardware(item.item) else ""
        lines.append(
            f'  <rect{kind} x="{x}" y="{y + _GAP}" width="{across}" height="{down}" rx="3"/>'
        )
        title_lines = textwrap.wrap(item.item.title, max(8, int((across - 16) / _CHARACTER)))
        for index, line in enumerate(title_lines[:2]):
            lines.append(f'  <text x="{x + 8}" y="{y + 18 + 15 * index}">{escape(line)}</text>')
        lines.append(
            f'  <text class="unit" x="{x + 8}" y="{y + down - 4}">{escape(item.item.unit)}</text>'
        )
    return "\n".join([*lines, "</svg>", ""])
