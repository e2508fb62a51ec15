"""Facts with sources and dates, ages of data sets, and changes of a refresh as text."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from clusterwright.render.style import PLAIN, Style
from clusterwright.render.table import counted


@dataclass(frozen=True)
class FactRow:
    """One fact; `source` and `date` are empty where it is unknown, and `note` has the reason."""

    name: str
    value: str
    source: str
    date: str
    note: str
    known: bool
    derived: bool
    stale: bool


@dataclass(frozen=True)
class FactSection:
    title: str
    rows: tuple[FactRow, ...]


@dataclass(frozen=True)
class AgeRow:
    data_set: str
    values: int
    unknown: int
    derived: int
    undated: int
    stale: int
    oldest: str
    newest: str


@dataclass(frozen=True)
class ChangeRow:
    """One fact that a refresh changed; `before` or `after` is None where it is absent."""

    data_set: str
    fact: str
    before: str | None
    after: str | None


_LONGEST_COLUMN = 48


def facts_text(name: str, sections: Sequence[FactSection], style: Style = PLAIN) -> str:
    """A page of facts; sources are numbered and listed once at the end."""
    rows = [row for section in sections for row in section.rows]
    names = max((len(row.name) for row in rows), default=0)
    values = min(_LONGEST_COLUMN, max((len(row.value) for row in rows), default=0))
    numbers: dict[tuple[str, str], int] = {}
    lines = [style.paint("bold", name)]
    for section in sections:
        lines += ["", style.paint("bold", section.title)]
        for row in section.rows:
            lines += _fact_lines(row, names, values, numbers, style)
        if not section.rows:
            lines.append("  none")
    lines += ["", style.paint("bold", "sources")]
    for (source, date), number in numbers.items():
        lines.append(f"  [{number}] {date}: {source}")
    return "\n".join(lines) + "\n"


def ages_text(rows: Sequence[AgeRow], stale_after_days: int, today: str) -> str:
    """One line per data set, and a line of totals."""
    head = ("data set", "values", "unknown", "derived", "undated", "stale", "oldest", "newest")
    cells = [head] + [
        (
            row.data_set,
            str(row.values),
            str(row.unknown),
            str(row.derived),
            str(row.undated),
            str(row.stale),
            row.oldest,
            row.newest,
        )
        for row in rows
    ]
    widths = [max(len(line[i]) for line in cells) for i in range(len(head))]
    counts = range(1, 6)
    lines = [
        "  ".join(
            text.rjust(width) if i in counts else text.ljust(width)
            for i, (text, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    ]
    total = sum(row.values for row in rows)
    unknown = sum(row.unknown for row in rows)
    stale = sum(row.stale for row in rows)
    lines += [
        "",
        f"{total} values, {unknown} unknown; {stale} stale on {today}: "
        f"older than {stale_after_days} days, or without a date",
    ]
    return "\n".join(lines) + "\n"


def changes_text(rows: Sequence[ChangeRow], confirmed: int, style: Style = PLAIN) -> str:
    """The changes by fact: `-` before, `+` after."""
    lines: list[str] = []
    data_set = None
    for row in rows:
        if row.data_set != data_set:
            lines += ([""] if lines else []) + [style.paint("bold", row.data_set)]
            data_set = row.data_set
        lines.append(f"  {row.fact}")
        if row.before is not None:
            lines.append("    " + style.paint("error", f"- {row.before}"))
        if row.after is not None:
            lines.append("    " + style.paint("pass", f"+ {row.after}"))
    if lines:
        lines.append("")
    lines.append(f"{counted(len(rows), 'fact')} changed, {counted(confirmed, 'fact')} confirmed")
    return "\n".join(lines) + "\n"


def _fact_lines(
    row: FactRow, names: int, values: int, numbers: dict[tuple[str, str], int], style: Style
) -> list[str]:
    name = row.name.ljust(names)
    if not row.known:
        reason = textwrap.wrap(row.note, values + 11)
        indent = " " * (names + 13)
        first = f"  {name}  {style.paint('unknown', 'unknown')}: {reason[0] if reason else ''}"
        return [first, *(indent + part for part in reason[1:])]
    number = numbers.setdefault((row.source, row.date), len(numbers) + 1)
    marks = [word for word, on in (("derived", row.derived), ("stale", row.stale)) if on]
    marked = f" ({', '.join(marks)})" if marks else ""
    first, *rest = textwrap.wrap(row.value, values) or [""]
    lines = [f"  {name}  {first.ljust(values)}  {row.date} [{number}]{marked}"]
    indent = " " * (names + 4)
    lines += [indent + part for part in rest]
    if row.note:
        noted = textwrap.wrap(row.note, values + 20)
        lines += [indent + style.paint("dim", part) for part in noted]
    return lines
