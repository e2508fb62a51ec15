"""The report of `clusterwright report scaling` as one HTML document with its two curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clusterwright.goodput.results import KNEE_EFFICIENCY, ScalingPoint, ScalingReport
from clusterwright.render import svg
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
from clusterwright.render.scaling import (
    BANDWIDTHS,
    OPERATION_ALIGNS,
    OPERATIONS,
    bandwidth_rows,
    dominant_text,
    knee_of_plan_text,
    number,
    operation_rows,
    percent,
    plan_text,
    point_rows,
    predicted,
    scaling_text,
)
from clusterwright.render.table import counted

_LEFT: Final = 90
_RIGHT: Final = 90
_ROW: Final = 26
_WIDTH: Final = svg.WIDTH - _LEFT - _RIGHT


def scaling_html(report: ScalingReport) -> str:
    """A complete document without scripts; the same report gives the same bytes."""
    title = f"Scaling of {report.environment}"
    parts = [f"<h1>{text(title)}</h1>"]
    model = report.workload.model if report.workload else None
    about = [one for one in (model, report.instance_type) if one]
    parts.append(paragraph(", ".join(about)) if about else "")
    measured = [point for point in report.points if point.tokens_per_second is not None]
    if measured:
        parts.append(facts(_cards(report, measured)))
    if report.plan is not None:
        parts.append(paragraph(f"Plan: {plan_text(report.plan)}"))
    if predicted(report):
        parts.append(paragraph(f"Knee against the plan: {knee_of_plan_text(report)}"))
    unknown = [f"{one.what}: {one.reason}" for one in report.unknown]
    parts.append(section("Unknown", listing(unknown)))
    if report.points:
        head, *rows = point_rows(report)
        marked = [i for i, point in enumerate(report.points) if point.nodes == report.knee]
        parts.append(
            section(
                "By number of nodes",
                _throughput(measured),
                _efficiency(report.points),
                table(head, rows, ["right"] * len(head), marked=marked),
            )
        )
        files = [
            (f"{point.nodes:,}", ", ".join(point.files)) for point in report.points if point.files
        ]
        parts.append(folded("Logs", table(("nodes", "files"), files, ("right", "left"))))
    if report.collectives:
        head, *rows = operation_rows(report)
        said = listing([dominant_text(one) for one in report.dominant])
        parts.append(section(_caption(OPERATIONS), table(head, rows, OPERATION_ALIGNS), said))
    if report.acceptance:
        head, *rows = bandwidth_rows(report.acceptance)
        parts.append(section(_caption(BANDWIDTHS), table(head, rows, ["right"] * len(head))))
    parts.append(folded("As text", lines(scaling_text(report).splitlines())))
    return document(title, parts)


def _caption(text: str) -> str:
    return text[0].upper() + text[1:]


def _cards(report: ScalingReport, measured: Sequence[ScalingPoint]) -> list[tuple[str, str, str]]:
    largest = measured[-1]
    cheapest = min(
        (point for point in measured if point.usd_per_billion_tokens is not None),
        key=lambda point: point.usd_per_billion_tokens or 0.0,
        default=None,
    )
    nodes = counted(largest.nodes, "node")
    return [
        ("Tokens per second", number(largest.tokens_per_second), f"on {nodes}"),
        ("Efficiency", percent(largest.efficiency), f"on {nodes}, against the smallest run"),
        (
            "Knee",
            "none" if report.knee is None else counted(report.knee, "node"),
            f"first number of nodes below {percent(KNEE_EFFICIENCY)}",
        ),
        (
            "USD per 10^9 tokens",
            "unknown" if cheapest is None else number(cheapest.usd_per_billion_tokens),
            "" if cheapest is None else f"the least, on {counted(cheapest.nodes, 'node')}",
        ),
    ]


def _throughput(points: Sequence[ScalingPoint]) -> str:
    """Measured tokens per second before the speed that the smallest run gives without losses."""
    if not points:
        return ""
    first = points[0]
    per_node = (first.tokens_per_second or 0.0) / first.nodes
    most = max(max(point.tokens_per_second or 0.0, per_node * point.nodes) for point in points)
    marks = []
    for row, point in enumerate(points):
        y, speed = 8 + row * _ROW, point.tokens_per_second or 0.0
        ideal = per_node * point.nodes
        nodes = counted(point.nodes, "node")
        marks += [
            svg.label(_LEFT - 6, y + 13, nodes, anchor="end"),
            svg.bar(_LEFT, y, ideal / most * _WIDTH, 18, "f7", f"{nodes}: {number(ideal)} ideal"),
            svg.bar(_LEFT, y + 4, speed / most * _WIDTH, 10, "f1", f"{nodes}: {number(speed)}"),
            svg.label(svg.WIDTH - _RIGHT + 6, y + 13, number(speed)),
        ]
    height = 14 + len(points) * _ROW
    marks += svg.legend([("measured", "f1"), ("without losses", "f7")], height)
    return svg.figure(height + 26, marks, "Tokens per second")


def _efficiency(points: Sequence[ScalingPoint]) -> str:
    known = [point for point in points if point.efficiency is not None]
    if not known:
        return ""
    most = max(1.0, *(point.efficiency or 0.0 for point in known))
    marks = []
    for row, point in enumerate(known):
        y, share = 8 + row * _ROW, point.efficiency or 0.0
        nodes = counted(point.nodes, "node")
        fill = "f1" if share >= KNEE_EFFICIENCY else "bad"
        marks += [
            svg.label(_LEFT - 6, y + 13, nodes, anchor="end"),
            svg.bar(_LEFT, y, share / most * _WIDTH, 18, fill, f"{nodes}: {percent(share)}"),
            svg.label(svg.WIDTH - _RIGHT + 6, y + 13, percent(share)),
        ]
    height = 14 + len(known) * _ROW
    marks += svg.legend([(f"at least {percent(KNEE_EFFICIENCY)}", "f1"), ("below", "bad")], height)
    return svg.figure(height + 26, marks, "Throughput of a node against the smallest run")
