"""A plan as text that fits one screen: the estimate, the cluster, and five options."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Final

from clusterwright.render.plan_options import OPTIONS_SHOWN, Option, impossible, options
from clusterwright.render.plan_options import same_cluster as has_one_cluster
from clusterwright.render.style import PLAIN, Style
from clusterwright.render.table import Align, columns, counted
from clusterwright.sizing.plan_types import Quantiles
from clusterwright.sizing.report_types import PlanReport

WIDTH: Final = 100
"""Columns; longer lines are wrapped."""
NOTES_SHOWN: Final = 6
SWINGS_SHOWN: Final = 3
_NAME_WIDTH: Final = 40
_DECISIVE: Final = (
    "no cluster was named",
    "number of accelerators not given",
    "the deadline",
    "the budget",
    "whether",
)


def wrapped(text: str, *, indent: str = "  ", hanging: str = "    ") -> list[str]:
    """The text in lines of at most `WIDTH` columns, broken at blanks."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=hanging,
        break_long_words=True,
        break_on_hyphens=False,
        drop_whitespace=True,
    )


def within_width(lines: Sequence[str]) -> list[str]:
    """Lines of at most `WIDTH` columns; only longer ones are broken, under their own indent."""
    found: list[str] = []
    for line in lines:
        if len(line) <= WIDTH:
            found.append(line)
            continue
        margin = line[: len(line) - len(line.lstrip())]
        found += wrapped(line.strip(), indent=margin, hanging=margin + "    ")
    return found


def cluster_lines(report: PlanReport) -> list[str]:
    """Layout, memory, storage, failures, quotas and platform, a line each."""
    chosen = report.plan.chosen
    assert chosen.layout is not None
    assert chosen.memory is not None
    memory = chosen.memory
    rows = [
        ("layout", chosen.layout.text),
        (
            "memory",
            f"{memory.total_gib:.1f} of {memory.limit_gib:g} GiB per accelerator "
            f"({memory.used_share:.0%})",
        ),
    ]
    if report.storage is not None:
        one = report.storage.chosen
        price = (
            "price unknown"
            if one.usd_per_month is None
            else f"{one.usd_per_month:,.0f} USD a month"
        )
        rows.append(
            (
                "storage",
                f"Lustre {one.capacity_gib:,} GiB at {one.throughput_mbps_per_tib} MB/s per TiB, "
                f"{price}",
            )
        )
    if report.failures is not None:
        rows.append(
            (
                "failures",
                f"one every {report.failures.mtti_hours.p50:,.3g} h; checkpoint every "
                f"{report.failures.intervals.young_hours * 60:.3g} min; "
                f"{counted(report.failures.spares, 'spare node')}",
            )
        )
    raised = [one for one in report.quotas if one.default is None or one.wanted > one.default]
    if raised:
        codes = ", ".join(one.code or one.name for one in raised)
        rows.append(("quotas", f"{len(raised)} above the default: {codes}"))
    if report.advice is not None:
        rows.append(("platform", report.advice.platform))
    aligned = columns(rows, ("left", "left"))
    return within_width(aligned)


def option_lines(report: PlanReport, *, every: bool) -> list[str]:
    """The options as a table of at most five rows, or of all, with what is left out."""
    found = options(report)
    shown = found if every else found[:OPTIONS_SHOWN]
    priced = any(row.usd is not None for row in shown)
    rows = [("", "", "days", "USD", ""), ("", "", "P50", "P50", "")] if priced else []
    rows += [_row(row) for row in shown]
    aligns: tuple[Align, ...] = ("left", "left", "right", "right", "left")
    lines = within_width(["  " + line for line in columns(rows, aligns)])
    left_out, refused = len(found) - len(shown), impossible(report)
    if every:
        for names, reason in refused:
            lines += wrapped(f"impossible: {names}: {reason}")
    else:
        more = [f"{left_out} more"] if left_out > 0 else []
        if refused:
            count = sum(len(names.split(", ")) for names, _ in refused)
            more.append(counted(count, "type") + " on which it is impossible")
        if more:
            lines.append(f"  and {', '.join(more)} (--all)")
    return lines


def options_title(report: PlanReport) -> str:
    """The title of the options: layouts of one cluster, or clusters with their cost."""
    if has_one_cluster(report):
        return "options: layouts of this cluster"
    return "options (USD of compute, spares included)"


def note_lines(report: PlanReport, style: Style, *, shorten: bool) -> list[str]:
    """Warnings and cautions, as a list; shortened to two lines each on one screen."""
    offer = report.chosen_offer
    notes = sorted([*report.plan.warnings, *(offer.cautions if offer else ())], key=_order)
    shown = notes[:NOTES_SHOWN] if shorten else notes
    lines: list[str] = []
    for note in shown:
        text = wrapped(note, indent="  - ", hanging="    ")
        if shorten and len(text) > 2:
            text = [text[0], textwrap.shorten(" ".join(text[1:]), WIDTH - 8, placeholder=" ...")]
            text[1] = "    " + text[1]
        lines += [text[0].replace("-", style.paint("warning", "-"), 1), *text[1:]]
    if len(notes) > len(shown):
        lines.append(f"  and {len(notes) - len(shown)} more (--details)")
    return lines


def swing_lines(report: PlanReport) -> list[str]:
    """The largest uncertainties, with the days at both ends."""
    rows = [
        (f"{_days(s.days_low)} to {_days(s.days_high)} d", s.text)
        for s in report.plan.tornado[:SWINGS_SHOWN]
    ]
    width = max((len(days) for days, _ in rows), default=0)
    lines: list[str] = []
    for days, text in rows:
        lines += wrapped(f"{days.rjust(width)}  {text}", hanging=" " * (width + 4))
    return lines


def titled(style: Style, title: str, lines: Sequence[str]) -> list[str]:
    """A blank line, the title in bold and the lines; nothing without lines."""
    return ["", style.paint("bold", title), *lines] if lines else []


def summary_sections(
    report: PlanReport, style: Style = PLAIN, *, every: bool, shorten: bool
) -> list[str]:
    """What follows the table of the estimate, before the sections of `--details`."""
    return [
        *titled(style, options_title(report), option_lines(report, every=every)),
        *titled(style, "largest uncertainties", swing_lines(report)),
        *titled(style, "assumptions and notes", note_lines(report, style, shorten=shorten)),
    ]


def _order(note: str) -> int:
    """What decides first, then values that were not given, then assumptions about hardware."""
    if note.startswith(_DECISIVE):
        return 0
    return 2 if note.startswith("assumed:") else 1


def _row(option: Option) -> tuple[str, str, str, str, str]:
    name = option.name
    if len(name) > _NAME_WIDTH:
        name = textwrap.shorten(name, _NAME_WIDTH, placeholder=" ...")
    return (
        f"{'*' if option.chosen else ' '} {name}",
        option.capacity,
        _days(option.days.p50) + " d",
        "" if option.usd is None else _dollars(option.usd),
        option.note,
    )


def _dollars(usd: Quantiles) -> str:
    return f"{usd.p50:,.0f}"


def _days(days: float) -> str:
    return f"{days:,.1f}" if days >= 0.1 else f"{days:.2g}"
