"""The report of `clusterwright capacity` as text."""

from __future__ import annotations

from clusterwright.operate.results import CapacityReport, FailureCost, GroupSpares
from clusterwright.render.operating import (
    finding_lines,
    number_text,
    time_text,
    unknown_lines,
)
from clusterwright.render.source import printable
from clusterwright.render.style import PLAIN, Style
from clusterwright.render.table import columns, counted

_SHOWN = 5


def capacity_text(report: CapacityReport, style: Style = PLAIN) -> str:
    """Findings first, then purchases, spares, and the cost of a failure by group."""
    lines = [
        style.paint(
            "bold",
            f"{report.environment}: account {report.account}, {report.region}, "
            f"{time_text(report.read_at)} UTC",
        )
    ]
    found = [
        *finding_lines(report.findings, style),
        *unknown_lines(report.unknown, style),
    ]
    lines += ["", *found] if found else []
    for title, rows in (("Purchases", _purchases(report)), ("Spares", _spares(report))):
        if len(rows) > 1:
            lines += ["", style.paint("bold", title)]
            lines += [f"  {line}" for line in columns(rows, ["left"] * len(rows[0]))]
    if report.failures:
        lines += ["", style.paint("bold", "If a node of the largest job fails now")]
    for failure in report.failures:
        lines += [f"  {failure.group}: {_cost(failure)}", f"    {printable(failure.note)}"]
    return "\n".join(lines) + "\n"


def _purchases(report: CapacityReport) -> list[tuple[str, ...]]:
    return [
        ("purchase", "kind", "groups", "status", "total", "used", "free", "ends (UTC)"),
        *(
            (
                each.row.id.rpartition("/")[2],
                each.row.kind,
                ", ".join(each.groups),
                each.row.status or "unknown",
                number_text(each.row.total),
                number_text(each.row.used),
                number_text(each.row.free),
                time_text(each.row.ends),
            )
            for each in report.purchases
        ),
    ]


def _spares(report: CapacityReport) -> list[tuple[str, ...]]:
    return [
        ("group", "capacity", "type", "nodes", "spares in the file", "idle", "launchable"),
        *(
            (
                each.group,
                each.capacity,
                each.instance_type,
                number_text(each.nodes),
                number_text(each.spare_count),
                _idle(each),
                "–" if each.launchable is None else number_text(each.launchable),
            )
            for each in report.spares
        ),
    ]


def _idle(spares: GroupSpares) -> str:
    if spares.idle is None:
        return "unknown"
    names = ", ".join(spares.idle[:_SHOWN])
    more = ", ..." if len(spares.idle) > _SHOWN else ""
    return printable(f"{len(spares.idle)} ({names}{more})") if names else "0"


def _cost(failure: FailureCost) -> str:
    if failure.job_nodes is None:
        return "unknown"
    if failure.job is None:
        return "nothing"
    words = f"job {printable(failure.job)} on {counted(failure.job_nodes, 'node')} stops"
    if failure.node_minutes is None or failure.minutes is None:
        cost = "for an unknown time"
    else:
        cost = (
            f"for {failure.minutes[0]} to {failure.minutes[1]} min, "
            f"{failure.node_minutes[0]:,} to {failure.node_minutes[1]:,} node-minutes"
        )
    if failure.usd is not None:
        cost += f", {failure.usd[0]:,.2f} to {failure.usd[1]:,.2f} USD"
    elif failure.usd_per_hour is not None:
        cost += f", {failure.usd_per_hour:,.2f} USD per hour"
    else:
        cost += ", price unknown"
    return f"{words} {cost}"
