"""Charts of a plan as SVG, with text for every mark and without scripts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from clusterwright.render.svg import FILLS, WIDTH, bar, figure, grid, label, legend
from clusterwright.sizing.report_types import FrontPoint, PlanReport

LEFT: Final = 90
RIGHT: Final = 20
PLOT: Final = WIDTH - LEFT - RIGHT
GIB: Final = 2**30
LINES: Final = tuple(f"s{index}" for index in (0, 3, 1))
STATES: Final = {"training": "f1", "restart": "bad", "waiting": "f4"}
BARS_SHOWN: Final = 10
NAME_WIDTH: Final = 130.0


def front(report: PlanReport) -> str:
    """Days and dollars, both logarithmic, with the Pareto front; empty without prices."""
    points = [] if report.charts is None else list(report.charts.front)
    priced = [point for point in points if point.usd_p50 is not None]
    if len(priced) < 2:
        return ""
    x = _Log([point.days_p50 for point in priced], LEFT, PLOT)
    y = _Log([point.usd_p50 or 1.0 for point in priced], 300, -270)
    parts = [_log_axes(x, y, 300, "days of the run (P50)", "US dollars of compute (P50)")]
    best = sorted((point for point in priced if point.on_front), key=lambda one: one.days_p50)
    way = " ".join(f"{x.at(p.days_p50):.1f},{y.at(p.usd_p50 or 1.0):.1f}" for p in best)
    parts.append(f'<polyline points="{way}" class="s0" stroke-width="1.5"/>')
    free = LEFT + 40.0
    for point in sorted(priced, key=lambda one: one.days_p50):
        at = x.at(point.days_p50)
        # A name needs room: those between two others have theirs in the tooltip alone.
        named = point.on_front and free <= at <= WIDTH - 80
        free = at + NAME_WIDTH if named else free
        parts.append(_dot(point, at, y.at(point.usd_p50 or 1.0), named=named))
    parts += legend(
        [("no option is both faster and cheaper", "f0"), ("other option", "open")], 350
    )
    return figure(372, parts, "Days and dollars of every cluster with a known price")


def memory(report: PlanReport) -> str:
    """Bytes on the most loaded accelerator, stacked by part, of candidates with a layout."""
    shown = [one for one in report.plan.candidates if one.memory is not None][:BARS_SHOWN]
    if not shown:
        return ""
    names = list(shown[0].memory.parts) if shown[0].memory else []
    most = max(one.memory.limit_gib for one in shown if one.memory)
    parts = []
    for row, one in enumerate(shown):
        assert one.memory is not None
        top, at = 10 + row * 26, 200.0
        scale = (WIDTH - 200 - 110) / most
        cluster = f"{one.nodes} x {one.hardware.name}"
        parts.append(label(194, top + 13, cluster, anchor="end"))
        for index, name in enumerate(names):
            gib = one.memory.parts.get(name, 0.0) / GIB
            width = gib * scale
            if width >= 0.3:
                parts.append(bar(at, top, width, 18, FILLS[index % 8], f"{name}: {gib:.1f} GiB"))
            at += width
        end = 200 + one.memory.limit_gib * scale
        parts.append(
            f'<line x1="{end:.1f}" x2="{end:.1f}" y1="{top - 2}" y2="{top + 20}" class="rule"/>'
        )
        parts.append(
            label(end + 4, top + 13, f"{one.memory.total_gib:.0f} of {one.memory.limit_gib:.0f}")
        )
    height = 20 + len(shown) * 26
    parts += legend([(name, FILLS[index % 8]) for index, name in enumerate(names)], height + 8)
    return figure(
        height + 34,
        parts,
        "Memory of the most loaded accelerator by part, GiB (dashed line: its size)",
    )


def goodput(report: PlanReport) -> str:
    """Goodput by number of nodes, a labelled line for each recovery."""
    points = [] if report.charts is None else list(report.charts.goodput)
    if not points:
        return ""
    x = _Log([float(point.nodes) for point in points], LEFT, PLOT - 110)
    top, bottom = 20.0, 260.0
    parts = []
    for percent in range(0, 101, 20):
        level = bottom - (bottom - top) * percent / 100
        parts.append(grid(LEFT, PLOT - 110, level))
        parts.append(label(LEFT - 6, level + 4, f"{percent} %", anchor="end"))
    for point in points:
        parts.append(label(x.at(point.nodes), bottom + 18, f"{point.nodes:,}", anchor="middle"))
    for index, name in enumerate(points[0].by_recovery):
        way = " ".join(
            f"{x.at(p.nodes):.1f},{bottom - (bottom - top) * max(0.0, p.by_recovery[name]):.1f}"
            for p in points
        )
        dash = ("", ' stroke-dasharray="6 3"', ' stroke-dasharray="2 2"')[index % 3]
        parts.append(
            f'<polyline points="{way}" class="{LINES[index % 3]}" stroke-width="2"{dash}/>'
        )
        last = points[-1].by_recovery[name]
        parts.append(
            label(x.at(points[-1].nodes) + 8, bottom - (bottom - top) * max(0.0, last) + 4, name)
        )
    chosen = report.plan.chosen.nodes
    here = x.at(min(max(chosen, points[0].nodes), points[-1].nodes))
    parts.append(f'<line x1="{here:.1f}" x2="{here:.1f}" y1="{top}" y2="{bottom}" class="rule"/>')
    parts.append(label(here + 4, bottom - 8, f"{chosen:,} nodes"))
    parts.append(label(LEFT + PLOT / 2 - 55, bottom + 36, "number of nodes", anchor="middle"))
    return figure(
        300, parts, "Goodput by the number of nodes and the kind of recovery, percent of time"
    )


def tornado(report: PlanReport) -> str:
    """A bar for each assumption, over the days from its P10 to its P90."""
    swings = report.plan.tornado[:8]
    if not swings:
        return ""
    low = min(swing.days_low for swing in swings)
    high = max(swing.days_high for swing in swings)
    span = max(high - low, 1e-9)
    parts = []
    for row, swing in enumerate(swings):
        top = 8 + row * 40
        begin = 60 + (swing.days_low - low) / span * (WIDTH - 120)
        end = 60 + (swing.days_high - low) / span * (WIDTH - 120)
        parts.append(label(10, top + 10, swing.text))
        parts.append(
            bar(
                begin,
                top + 15,
                max(1.0, end - begin),
                14,
                FILLS[1],
                f"{swing.days_low:.1f} to {swing.days_high:.1f} days",
            )
        )
        parts.append(label(begin - 4, top + 26, f"{swing.days_low:.1f}", anchor="end"))
        parts.append(label(end + 4, top + 26, f"{swing.days_high:.1f}"))
    middle = 60 + (report.plan.estimate.days.p50 - low) / span * (WIDTH - 120)
    if 60 <= middle <= WIDTH - 60:
        parts.append(
            f'<line x1="{middle:.1f}" x2="{middle:.1f}" y1="4" y2="{len(swings) * 40}" '
            'class="rule"/>'
        )
    height = 12 + len(swings) * 40
    parts += legend([("from P10 to P90 of one assumption", FILLS[1])], height)
    parts.append(label(340, height + 10, "dashed line: P50 of the estimate"))
    title = "Days of the run by each assumption alone, the others at their median"
    return figure(height + 24, parts, title)


def timeline(report: PlanReport) -> str:
    """One simulated run: training, restarts and waiting, in rows of ten days."""
    run = None if report.charts is None else report.charts.run
    if run is None or not run.spans:
        return ""
    per_row = 240.0
    total = run.spans[-1].end_hour
    rows = math.ceil(total / per_row)
    parts = []
    for row in range(rows):
        parts.append(label(LEFT - 6, 8 + row * 20 + 11, f"day {row * 10:,}", anchor="end"))
    for span in run.spans:
        start = span.start_hour
        while start < span.end_hour - 1e-9:
            row = int(start // per_row)
            end = min(span.end_hour, (row + 1) * per_row)
            width = (end - start) / per_row * PLOT
            # A restart of minutes is a hair's breadth; it is drawn so that it can be seen.
            drawn = width if span.state == "training" else max(width, 1.2)
            at = LEFT + (start - row * per_row) / per_row * PLOT
            lost = f", {span.lost_hours * 60:.0f} min lost" if span.lost_hours else ""
            parts.append(
                bar(
                    at,
                    8 + row * 20,
                    drawn,
                    14,
                    STATES[span.state],
                    f"{span.state}, {(end - start):.2f} h{lost}",
                )
            )
            start = end
    height = 14 + rows * 20
    parts += legend(list(STATES.items()), height + 8)
    title = (
        f"One run of {total / 24:.0f} days: {run.failures} failures, {run.useful_share:.1%} useful"
    )
    return figure(height + 34, parts, title)


class _Log:
    """A logarithmic axis over the range of values."""

    def __init__(self, values: Sequence[float], start: float, length: float) -> None:
        self.low = min(values)
        self.high = max(*values, self.low * 1.001)
        self._start, self._length = start, length

    def at(self, value: float) -> float:
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self._start + share * self._length

    def ticks(self) -> Iterable[float]:
        for power in range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1):
            for factor in (1, 2, 5):
                value = factor * 10.0**power
                if self.low <= value <= self.high:
                    yield value


def _log_axes(x: _Log, y: _Log, bottom: float, x_name: str, y_name: str) -> str:
    parts = []
    for value in x.ticks():
        parts.append(label(x.at(value), bottom + 18, _short(value), anchor="middle"))
    for value in y.ticks():
        parts.append(grid(LEFT, PLOT, y.at(value)))
        parts.append(label(LEFT - 6, y.at(value) + 4, _short(value), anchor="end"))
    parts.append(label(LEFT + PLOT / 2, bottom + 36, x_name, anchor="middle"))
    parts.append(label(LEFT, 14, y_name))
    return "".join(parts)


def _dot(point: FrontPoint, x: float, y: float, *, named: bool) -> str:
    name = f"{point.nodes:,} x {point.name}"
    title = f"{name}: {point.days_p50:,.1f} days, {point.usd_p50 or 0:,.0f} USD"
    name_of_class = "f0" if point.on_front else "open"
    word = label(x - 4, y - 9, name, anchor="middle") if named else ""
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" class="{name_of_class}">'
        f"<title>{escape(title)}</title></circle>{word}"
    )


def _short(value: float) -> str:
    for scale, suffix in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if value >= scale:
            return f"{value / scale:g}{suffix}"
    return f"{value:g}"
