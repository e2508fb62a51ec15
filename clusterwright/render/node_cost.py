"""The report of `clusterwright report cost` as text."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from clusterwright.goodput.results import Day, NodeCostReport, Share, Spent
from clusterwright.render.goodput import remark_lines, unanswered_lines
from clusterwright.render.source import printable
from clusterwright.render.style import PLAIN, Style
from clusterwright.render.table import columns, counted

MAXIMUM_ROWS = 20
"""Rows of runs, users and accounts; JSON has all."""
_WIDTH = 100


def node_cost_text(report: NodeCostReport, style: Style = PLAIN) -> str:
    """Findings, a row for each day and their sum, then runs, users and accounts."""
    head = f"{report.environment}: cost of the compute nodes"
    period = f"{report.since:%Y-%m-%d %H:%M} to {report.until:%Y-%m-%d %H:%M} UTC"
    lines = [style.paint("bold", f"{head}, {period}")]
    notes = [*remark_lines(report.findings, style), *unanswered_lines(report.unknown, style)]
    lines += ["", *notes] if notes else []
    lines += ["", style.paint("bold", "Days"), *_table(_day_rows(report), "lrrrrrr")]
    for title, rows in (
        ("Runs", report.runs),
        ("Users", report.users),
        ("Accounts", report.accounts),
    ):
        if rows:
            lines += ["", style.paint("bold", title), *_table(_share_rows(rows), "lrrrr")]
            more = len(rows) - MAXIMUM_ROWS
            lines += [f"  and {more:,} more: --format json"] if more > 0 else []
    if report.forecast_usd_per_day is not None:
        forecast = _usd(report.forecast_usd_per_day)
        lines += ["", f"forecast: {forecast} USD per day for the compute nodes of the file"]
    if report.actual is not None:
        lines += ["", *_spent_lines(report.actual, style)]
    return "\n".join(lines) + "\n"


def _spent_lines(spent: Spent, style: Style) -> list[str]:
    """A row for each day, the sums of those that can be compared, and notes."""
    rows: list[tuple[str, ...]] = [("day", "ours", "instances", "difference", "all services", "")]
    for day in spent.days:
        amounts = (day.usd, day.instances_usd)
        difference = _change(day.difference_usd)
        rows.append(
            (f"{day.date}", *map(_usd, amounts), difference, _usd(day.cluster_usd), day.note)
        )
    total = spent.total
    if total.days:
        amounts = (total.usd, total.instances_usd)
        every = len(spent.days)
        compared = "" if total.days == every else f"{total.days:,} of {counted(every, 'day')}"
        difference = _change(total.difference_usd)
        rows.append(("total", *map(_usd, amounts), difference, _usd(total.cluster_usd), compared))
    head = f"Cost Explorer, USD with {spent.tag.tag}={spent.tag.value}"
    lines = [style.paint("bold", head), *_table(rows, "lrrrrl")]
    if spent.untagged_usd is not None:
        where = "without the tag, in the whole account, on all days of the period"
        lines.append(f"  {where}: {_usd(spent.untagged_usd)} USD")
    for note in spent.notes:
        lines += textwrap.wrap(note, _WIDTH, initial_indent="  ", subsequent_indent="    ")
    return lines


def _day_rows(report: NodeCostReport) -> list[tuple[str, ...]]:
    head = ("day", "node-hours", "with jobs", "idle", "USD", "with jobs", "idle")
    rows = [_day_row(f"{day.date}", day) for day in report.days]
    return [head, *rows, _day_row("total", report.total)]


def _day_row(name: str, day: Day) -> tuple[str, ...]:
    return (
        name,
        _hours(day.node_hours),
        _hours(day.job_node_hours),
        _hours(day.idle_node_hours),
        _usd(day.usd),
        _usd(day.job_usd),
        _usd(day.idle_usd),
    )


def _share_rows(shares: Sequence[Share]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("name", "jobs", "node-hours", "share", "USD")]
    for one in shares[:MAXIMUM_ROWS]:
        hours = _hours(one.node_hours)
        rows.append(
            (printable(one.name), f"{one.jobs:,}", hours, f"{one.share:.1%}", _usd(one.usd))
        )
    return rows


def _table(rows: Sequence[Sequence[str]], aligns: str) -> list[str]:
    found = columns(rows, ["left" if align == "l" else "right" for align in aligns])
    return [f"  {line}" for line in found]


def _hours(value: float | None) -> str:
    return "unknown" if value is None else f"{value:,.1f}"


def _change(value: float | None) -> str:
    text = "" if value is None else f"{value:+,.0f}"
    return "0" if text in ("+0", "-0") else text


def _usd(value: float | None) -> str:
    text = "unknown" if value is None else f"{value:,.0f}"
    return "0" if text == "-0" else text
