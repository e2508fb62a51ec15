"""The report of `clusterwright report layouts` as text."""

from __future__ import annotations

from clusterwright.goodput.results import LayoutPoint, LayoutReport
from clusterwright.render.goodput import unanswered_lines
from clusterwright.render.scaling import number, percent
from clusterwright.render.style import PLAIN, Style
from clusterwright.render.table import Align, columns


def layouts_text(report: LayoutReport, style: Style = PLAIN) -> str:
    """A row for each layout, the fastest first."""
    lines = [style.paint("bold", f"{report.environment}: throughput by layout")]
    unknown = list(unanswered_lines(report.unknown, style))
    lines += ["", *unknown] if unknown else []
    if not report.points:
        return "\n".join(lines) + "\n"
    rows: list[tuple[str, ...]] = [
        ("layout", "nodes", "tokens/s", "s/step", "MFU", "predicted", "of it", "outcome")
    ]
    rows += [_row(point) for point in report.points]
    aligns: list[Align] = ["left", *("right",) * 6, "left"]
    lines += ["", *(f"  {line}" for line in columns(rows, aligns))]
    return "\n".join(lines) + "\n"


def _row(point: LayoutPoint) -> tuple[str, ...]:
    speed, predicted = point.tokens_per_second, point.predicted_tokens_per_second
    return (
        point.name,
        f"{point.nodes:,}",
        number(speed),
        number(point.step_seconds),
        percent(point.mfu),
        number(predicted),
        percent(speed / predicted if speed is not None and predicted else None),
        point.outcome,
    )
