"""The report of `clusterwright report scaling` as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clusterwright.goodput.results import (
    AcceptedBandwidth,
    Dominant,
    ScalingPlan,
    ScalingReport,
)
from clusterwright.render.goodput import unanswered_lines
from clusterwright.render.source import printable
from clusterwright.render.style import PLAIN, Style
from clusterwright.render.table import columns, counted

BANDWIDTHS: Final = "all-reduce of acceptance, bus bandwidth in GB/s"
OPERATIONS: Final = "operations of NCCL, by NCCL Inspector"
OPERATION_ALIGNS: Final = ("right", "left", "right", "right", "right", "right")


def scaling_text(report: ScalingReport, style: Style = PLAIN) -> str:
    """A row for each number of nodes, then the knee."""
    lines = [style.paint("bold", f"{report.environment}: throughput by number of nodes")]
    unknown = list(unanswered_lines(report.unknown, style))
    lines += ["", *unknown] if unknown else []
    if not report.points:
        return "\n".join(lines) + "\n"
    rows = point_rows(report)
    lines += ["", *(f"  {line}" for line in columns(rows, ["right"] * len(rows[0])))]
    if report.knee is not None:
        lines += ["", f"knee: below 90 % from {counted(report.knee, 'node')}"]
    elif sum(point.efficiency is not None for point in report.points) > 1:
        lines += ["", "knee: none, efficiency is at least 90 % everywhere"]
    if predicted(report):
        lines += [f"knee against the plan: {knee_of_plan_text(report)}"]
    if report.plan is not None:
        lines += ["", f"plan: {plan_text(report.plan)}"]
    if report.collectives:
        lines += ["", style.paint("bold", OPERATIONS)]
        lines += [f"  {line}" for line in columns(operation_rows(report), OPERATION_ALIGNS)]
        lines += [f"  {dominant_text(one)}" for one in report.dominant]
    if report.acceptance:
        rows = bandwidth_rows(report.acceptance)
        lines += ["", style.paint("bold", BANDWIDTHS)]
        lines += [f"  {line}" for line in columns(rows, ["right"] * len(rows[0]))]
    return "\n".join(lines) + "\n"


def point_rows(report: ScalingReport) -> list[tuple[str, ...]]:
    """A header, and a row for each number of nodes."""
    more = ("plan tokens/s", "of plan") if predicted(report) else ()
    rows: list[tuple[str, ...]] = [
        ("nodes", "runs", "tokens/s", "s/step", "MFU", "efficiency", "USD per 10^9 tokens", *more)
    ]
    for point in report.points:
        planned = (number(point.predicted_tokens_per_second), percent(point.of_predicted))
        rows.append(
            (
                f"{point.nodes:,}",
                f"{point.runs:,}",
                number(point.tokens_per_second),
                number(point.step_seconds),
                percent(point.mfu),
                percent(point.efficiency),
                number(point.usd_per_billion_tokens),
                *(planned if more else ()),
            )
        )
    return rows


def predicted(report: ScalingReport) -> list[int]:
    """The numbers of nodes whose throughput is known beside a plan's."""
    return [point.nodes for point in report.points if point.of_predicted is not None]


def knee_of_plan_text(report: ScalingReport) -> str:
    """Where the throughput falls short of the plan's, or on which nodes it does not."""
    if report.knee_of_plan is not None:
        return f"below 90 % of its throughput from {counted(report.knee_of_plan, 'node')}"
    nodes = ", ".join(f"{nodes:,}" for nodes in predicted(report))
    word = "node" if nodes == "1" else "nodes"
    return f"none, at least 90 % of its throughput on {nodes} {word}"


def operation_rows(report: ScalingReport) -> list[tuple[str, ...]]:
    """A header, and a row for each operation of NCCL on a number of nodes."""
    rows: list[tuple[str, ...]] = [
        ("nodes", "operation", "of NCCL's time", "operations", "longest, ms", "with at least")
    ]
    for one in report.collectives:
        rows.append(
            (
                f"{one.nodes:,}",
                printable(one.operation),
                percent(one.share),
                "unknown" if one.operations is None else f"{one.operations:,}",
                number(one.longest_us / 1000),
                _size(one.longest_bytes),
            )
        )
    return rows


def dominant_text(one: Dominant) -> str:
    """Which operation takes most time; else the one of which a single one takes longest."""
    on = f"on {counted(one.nodes, 'node')}"
    if one.operation is None:
        return f"{on}: most time unknown; a single {printable(one.longest)} takes longest"
    return f"{on}: {printable(one.operation)} takes most time, {percent(one.share)}"


def _size(count: int) -> str:
    """`1,024 MiB`, `8 KiB`: rounded down."""
    if count >= 1024**2:
        return f"{count // 1024**2:,} MiB"
    return f"{count // 1024:,} KiB" if count >= 1024 else f"{count:,} B"


def plan_text(plan: ScalingPlan) -> str:
    """The MFU on the plan's number of nodes, beside the plan's."""
    mfu = plan.mfu
    beside = f"{percent(mfu.p10)} to {percent(mfu.p90)}"
    return (
        f"MFU {beside} on {counted(plan.nodes, 'node')} (P10 to P90); measured "
        f"{percent(mfu.measured)}" + ("" if mfu.verdict == "unknown" else f", {mfu.verdict}")
    )


def bandwidth_rows(found: Sequence[AcceptedBandwidth]) -> list[tuple[str, ...]]:
    """A header, and a row for each number of nodes: each size, then the largest against the first.

    The first is the fewest nodes; the largest is of the sizes that it has.
    """
    sizes = sorted({one.size_mib for one in found})
    by_key = {(one.nodes, one.size_mib): one for one in found}
    first = min(one.nodes for one in found)
    largest = max(one.size_mib for one in found if one.nodes == first)
    base = by_key[first, largest].gbs
    rows: list[tuple[str, ...]] = [
        ("nodes", *(f"{size:,} MiB" for size in sizes), f"of {counted(first, 'node')}")
    ]
    for nodes in sorted({one.nodes for one in found}):
        same = by_key.get((nodes, largest))
        cells = [_bandwidth(by_key.get((nodes, size))) for size in sizes]
        rows.append((f"{nodes:,}", *cells, percent(None if same is None else same.gbs / base)))
    return rows


def _bandwidth(one: AcceptedBandwidth | None) -> str:
    if one is None:
        return number(None)
    return number(one.gbs) + (" (fail)" if one.verdict == "fail" else "")


def number(value: float | None) -> str:
    """With thousands separators from 1,000 on, else four digits."""
    if value is None:
        return "unknown"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def percent(value: float | None) -> str:
    """With one decimal."""
    return "unknown" if value is None else f"{value:.1%}"
