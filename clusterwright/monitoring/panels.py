"""Dashboards as plain data: rows of panels, what a cluster supports of them, and their places.

A panel's metrics decide whether a cluster has it: a query is left out if the cluster lacks one of
its metrics, a panel without queries, and a row or dashboard without panels.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from clusterwright.monitoring.promql import uses

COLUMNS: Final = 24
"""Columns of Grafana's grid."""
ROW_HEIGHT: Final = 1

Kind = Literal["timeseries", "stat"]
Variable = Literal["group", "node", "partition", "job", "namespace", "pod"]


@dataclass(frozen=True)
class Query:
    """A PromQL expression, and the legend of its series."""

    expression: str
    legend: str = ""


@dataclass(frozen=True)
class Panel:
    """One panel. `unit` is an id of Grafana's units."""

    title: str
    description: str
    unit: str
    queries: tuple[Query, ...]
    kind: Kind = "timeseries"
    width: int = 12
    height: int = 8
    maximum: float | None = None
    warn_at: float | None = None
    """From this value on it is shown in orange."""
    alarm_at: float | None = None
    """From this value on it is shown in red."""
    stacked: bool = False


@dataclass(frozen=True)
class Row:
    """A titled row of panels."""

    title: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True)
class Dashboard:
    """One dashboard; `name` is that of its file."""

    name: str
    title: str
    description: str
    variables: tuple[Variable, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Placed:
    """A row's title or a panel with its id and its place in the grid."""

    id: int
    x: int
    y: int
    width: int
    height: int
    item: Row | Panel


def stat(
    title: str,
    description: str,
    unit: str,
    *queries: Query,
    warn_at: float | None = None,
    alarm_at: float | None = None,
    width: int = 6,
) -> Panel:
    """A panel with the last value of each query."""
    return Panel(
        title,
        description,
        unit,
        queries,
        kind="stat",
        width=width,
        height=4,
        warn_at=warn_at,
        alarm_at=alarm_at,
    )


def supported(dashboard: Dashboard, metrics: Collection[str]) -> Dashboard | None:
    """The part of a dashboard whose metrics exist; None if nothing remains."""
    rows = []
    for row in dashboard.rows:
        panels = []
        for panel in row.panels:
            queries = tuple(
                query
                for query in panel.queries
                if all(use.metric in metrics for use in uses(query.expression))
            )
            if queries:
                panels.append(dataclasses.replace(panel, queries=queries))
        if panels:
            rows.append(dataclasses.replace(row, panels=tuple(panels)))
    return dataclasses.replace(dashboard, rows=tuple(rows)) if rows else None


def placed(dashboard: Dashboard) -> Iterator[Placed]:
    """Every row and panel with its place: from left to right, the last of a line to the edge."""
    number, y = 0, 0
    for row in dashboard.rows:
        number += 1
        yield Placed(number, 0, y, COLUMNS, ROW_HEIGHT, row)
        y += ROW_HEIGHT
        for line in _lines(row.panels):
            x = 0
            for index, panel in enumerate(line):
                number += 1
                width = COLUMNS - x if index == len(line) - 1 else panel.width
                yield Placed(number, x, y, width, panel.height, panel)
                x += width
            y += max(panel.height for panel in line)


def _lines(panels: tuple[Panel, ...]) -> Iterator[list[Panel]]:
    """The panels in lines of at most COLUMNS; panels of one line have one height."""
    line: list[Panel] = []
    for panel in panels:
        used = sum(each.width for each in line)
        if line and (used + panel.width > COLUMNS or panel.height != line[0].height):
            yield line
            line = []
        line.append(panel)
    if line:
        yield line
