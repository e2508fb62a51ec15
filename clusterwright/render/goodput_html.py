"""The report of `clusterwright report goodput` as one HTML document with a timeline."""

from __future__ import annotations

import datetime as dt
import math
from typing import Final

from clusterwright.goodput.results import TICKS, GoodputReport
from clusterwright.render import svg
from clusterwright.render.goodput import (
    attempt_rows,
    duration,
    goodput_text,
    measure_rows,
    part_rows,
)
from clusterwright.render.html_elements import (
    folded,
    lines,
    listing,
    paragraph,
    section,
    table,
    text,
)
from clusterwright.render.html_page import document, facts

_FILLS: Final = {
    "queue": "f7",
    "boot": "f6",
    "start": "f2",
    "productive": "f1",
    "repeated": "f4",
    "checkpoint": "f0",
    "stalled": "f3",
    "down": "bad",
}
_ROWS: Final = 24
_ROW_SECONDS: Final = (60, 300, 900, 3600, 14_400, 43_200, 86_400, 172_800, 604_800)
_LEFT: Final = 90
_WIDTH: Final = svg.WIDTH - _LEFT - 20


def goodput_html(report: GoodputReport) -> str:
    """A complete document without scripts; the same report gives the same bytes."""
    title = f"Goodput of {report.run or report.environment}"
    m, steps = report.measures, report.steps
    cards = [
        ("Goodput", _percent(m.goodput), "productive time by the time without the queue"),
        ("Steps", f"{steps.productive:,}", f"and {steps.repeated:,} done again"),
        ("MFU", _percent(m.mfu), "while training"),
        (
            "USD per 10^9 tokens",
            "unknown" if m.usd_per_billion_tokens is None else f"{m.usd_per_billion_tokens:,.0f}",
            "of productive tokens, by the cluster's rates",
        ),
    ]
    parts = [f"<h1>{text(title)}</h1>", paragraph(f"{report.environment}, {report.framework}")]
    parts.append(facts(cards))
    parts.append(section("Findings", listing([one.message for one in report.findings])))
    unknown = [f"{one.what}: {one.reason}" for one in report.unknown]
    parts.append(section("Unknown", listing(unknown)))
    if report.parts is not None:
        rows = part_rows(report)
        header = ("Part", "Time", "Share", "Meaning")
        parts.append(
            section(
                "Where the time went",
                table(header, rows, ("left", "right", "right", "left"), marked=[len(rows) - 1]),
                _timeline(report),
            )
        )
        head, *found = measure_rows(report)
        parts.append(section("Measures", table(head, found, ("left", "right", "right", "left"))))
        first, *others = attempt_rows(report)
        aligns = ("left", "left", "right", "right", "right", "right")
        parts.append(section("Attempts", table(first, others, aligns)))  # type: ignore[arg-type]
    parts.append(folded("As text", lines(goodput_text(report).splitlines())))
    return document(title, parts)


def _timeline(report: GoodputReport) -> str:
    """The spans in rows of equal time; a span of less than a pixel is drawn one pixel wide."""
    if not report.spans or not report.wall_s:
        return ""
    begin = report.spans[0].begin / TICKS
    per_row = next((s for s in _ROW_SECONDS if report.wall_s <= s * _ROWS), _ROW_SECONDS[-1])
    rows = max(1, math.ceil(report.wall_s / per_row))
    marks = [
        svg.label(_LEFT - 6, 8 + row * 20 + 11, _row_name(report, row * per_row), anchor="end")
        for row in range(rows)
    ]
    for span in report.spans:
        at, end = span.begin / TICKS - begin, span.end / TICKS - begin
        title = f"{span.part}, {duration(end - at)}, attempt {span.attempt + 1}"
        while at < end:
            row = int(at // per_row)
            until = min(end, (row + 1) * per_row)
            width = max(1.0, (until - at) / per_row * _WIDTH)
            left = _LEFT + (at - row * per_row) / per_row * _WIDTH
            marks.append(svg.bar(left, 8 + row * 20, width, 14, _FILLS[span.part], title))
            at = until
    height = 14 + rows * 20
    marks += svg.legend(list(_FILLS.items()), height + 8)
    return svg.figure(height + 34, marks, f"Timeline, a row is {duration(per_row)}")


def _row_name(report: GoodputReport, offset: float) -> str:
    if report.wall_from is None:
        return duration(offset)
    moment = dt.datetime.fromtimestamp(report.wall_from + offset, dt.UTC)
    return moment.strftime("%m-%d %H:%M")


def _percent(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.1%}"
