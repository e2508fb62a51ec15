"""The report of `clusterwright report scaling` as text."""

from __future__ import annotations

from clusterwright.goodput.results import ScalingReport
from clusterwright.render.goodput import unanswered_lines
from clusterwright.render.style import PLAIN, Style
from clusterwright.render.table import columns, counted


def scaling_text(report: ScalingReport, style: Style = PLAIN) -> str:
    """A row for each number of nodes, then the knee."""
    lines = [style.paint("bold", f"{report.environment}: throughput by number of nodes")]
    unknown = list(unanswered_lines(report.unknown, style))
    lines += ["", *unknown] if unknown else []
    if not report.points:
        return "\n".join(lines) + "\n"
    lines += ["", *(f"  {line}" for line in columns(point_rows(report), ["right"] * 7))]
    if report.knee is not None:
        lines += ["", f"knee: below 90 % from {counted(report.knee, 'node')}"]
    elif sum(point.efficiency is not None for point in report.points) > 1:
        lines += ["", "knee: none, efficiency is at least 90 % everywhere"]
    return "\n".join(lines) + "\n"


def point_rows(report: ScalingReport) -> list[tuple[str, ...]]:
    """A header, and a row for each number of nodes."""
    rows: list[tuple[str, ...]] = [
        ("nodes", "runs", "tokens/s", "s/step", "MFU", "efficiency", "USD per 10^9 tokens")
    ]
    for point in report.points:
        rows.append(
            (
                f"{point.nodes:,}",
                f"{point.runs:,}",
                number(point.tokens_per_second),
                number(point.step_seconds),
                percent(point.mfu),
                percent(point.efficiency),
                number(point.usd_per_billion_tokens),
            )
        )
    return rows


def number(value: float | None) -> str:
    """With thousands separators from 1,000 on, else four digits."""
    if value is None:
        return "unknown"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def percent(value: float | None) -> str:
    """With one decimal."""
    return "unknown" if value is None else f"{value:.1%}"
