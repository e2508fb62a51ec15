"""A bill as text or Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from decimal import Decimal

from clusterwright.cost.bill import STALE_AFTER_DAYS, Bill, Gate, Line
from clusterwright.cost.bill_extras import CostExtras, Exchange
from clusterwright.cost.headline import headline, money
from clusterwright.render import bill_sections as parts
from clusterwright.render.source import excerpt
from clusterwright.render.style import PLAIN, Style
from clusterwright.render.table import Align, columns, markdown_cell, markdown_table

_ALIGNS: tuple[Align, ...] = ("left", "right", "left", "right", "right", "right", "left")
_HEADER = ("", "quantity", "unit", "USD/unit", "USD/hour", "USD/month", "")
_WIDTH = 100
_LEFT_OUT: tuple[tuple[int, ...], ...] = ((), (4,), (3, 4), (2, 3, 4))
"""Columns that a table with a second currency leaves out until it fits, by index."""


def bill_text(
    bill: Bill,
    gates: Sequence[Gate],
    style: Style = PLAIN,
    *,
    extras: CostExtras | None = None,
) -> str:
    """The headline, a table by component, unknown lines, sources of prices, and budgets."""
    extras = extras or CostExtras()
    marks = _sources(bill)
    lines = [f"{bill.environment} in {bill.region} on {bill.platform}", ""]
    lines += [*_headline_text(bill, extras, style), ""]
    lines += _table_text(bill, extras.exchange, marks, style)
    lines += _notes_text(bill, style)
    lines += parts.parts_text(bill, style)
    if extras.exchange is not None:
        lines += parts.exchange_text(extras.exchange, style)
    if extras.saving is not None:
        lines += parts.saving_text(extras.saving, style)
    if extras.comparison is not None:
        lines += parts.comparison_text(extras.comparison, style)
    lines += _unknown_text(bill, style)
    lines += _sources_text(bill, marks, style)
    if extras.remembered_in is not None:
        lines.append(f"  AWS's prices are remembered in {extras.remembered_in}")
    lines += parts.warnings_text(bill, style)
    for text in extras.live or ():
        lines += ["", f"{style.paint('unknown', 'unknown:')} {text}"]
    for gate in gates:
        lines += _gate_text(gate, style)
    return "\n".join(lines) + "\n"


def _table_text(
    bill: Bill, exchange: Exchange | None, marks: dict[tuple[str, str], int], style: Style
) -> list[str]:
    """The lines by component and the totals; columns without a use are left out."""
    scenario = bill.scenario
    code = "" if exchange is None else f"{exchange.currency}/month"
    supposed = "" if scenario is None else "indicative"
    rows: list[Sequence[str]] = [(*_HEADER[:-1], supposed, code, "")]
    component = ""
    heads = {}
    for line in bill.lines:
        if line.component != component:
            component = line.component
            heads[len(rows)] = component
            rows.append((component, *[""] * 8))
        mark = marks.get(_source(line), "")
        other = _other(line.monthly_usd, exchange)
        cells = (*_cells(line), _indicative(line), other, f"[{mark}]" if mark else "")
        rows.append(("  " + _short(line.item), *cells))
    total = bill.total
    least = "at least" if total.at_least else ""
    hour, month = _money(total.hourly_usd), _money(total.monthly_usd)
    other = _other(total.monthly_usd, exchange)
    supposed = "" if scenario is None else _money(scenario.monthly_usd)
    name = "total" if scenario is None else "total of known parts"
    rows.append((name, "", "", least, hour, month, supposed, other, ""))
    if total.run_usd is not None and bill.run_hours is not None:
        name, run = f"run of {_number(bill.run_hours)} h{_from(bill)}", _money(total.run_usd)
        supposed = ""
        if scenario is not None and scenario.run_usd is not None:
            supposed = _money(scenario.run_usd)
        other = _other(total.run_usd, exchange)
        rows.append((name, "", "", least, "", run, supposed, other, ""))
    kept = [*range(6), *([6] if scenario else []), *([7] if exchange else []), 8]
    if exchange is None:
        found, out = _with_columns(rows, kept), ""
    else:
        found, out = _fitted(rows, kept)
    lines = []
    for index, text in enumerate(found):
        strong = index == 0 or index in heads or text.startswith(("total", "run of"))
        lines.append(style.paint("bold", text) if strong else text)
    return [
        *lines,
        *([f"left out to fit {_WIDTH} columns: {out} (`--format json` has them)"] if out else []),
    ]


def _with_columns(rows: Sequence[Sequence[str]], kept: Sequence[int]) -> list[str]:
    aligns: tuple[Align, ...] = (*_ALIGNS[:-1], "right", "right", "left")
    return columns([[row[c] for c in kept] for row in rows], [aligns[c] for c in kept])


def _fitted(rows: Sequence[Sequence[str]], kept: Sequence[int]) -> tuple[list[str], str]:
    """The lines without the columns for which there is no room, and the names of those columns.

    Where the amounts alone leave too little room, the names of items are shortened.
    """
    for hidden in _LEFT_OUT:
        shown = [column for column in kept if column not in hidden]
        # The amounts of a total are "at least" in the column of the price per unit.
        cut = [
            [f"{r[0]}, {r[3]}", *r[1:]] if 3 in hidden and not r[2] and r[3] else r for r in rows
        ]
        lines = _with_columns(cut, shown)
        over = max(map(len, lines)) - _WIDTH
        if over <= 0:
            break
    else:
        longest = max(len(row[0]) for row in cut)
        lines = _with_columns([[_short(r[0], longest - over), *r[1:]] for r in cut], shown)
    return lines, ", ".join(_HEADER[column] for column in hidden)


def _headline_text(bill: Bill, extras: CostExtras, style: Style) -> list[str]:
    """The headline, one sentence in a line, longer ones wrapped."""
    found = headline(bill, asked_aws=extras.asked_for_prices)
    lines = []
    for index, text in enumerate(found.lines):
        wrapped = textwrap.wrap(text, _WIDTH, subsequent_indent="  ")
        lines += [style.paint("bold", line) for line in wrapped] if index == 0 else wrapped
    return lines


def _from(bill: Bill) -> str:
    """The origin of the hours, unless the spec or the command line states them."""
    where = bill.run_hours_from
    return "" if where in {None, "--hours", "run.hours"} else f" ({where})"


def bill_markdown(bill: Bill, gates: Sequence[Gate], *, extras: CostExtras | None = None) -> str:
    """A summary, with the lines folded below."""
    extras = extras or CostExtras()
    if bill.scenario is None:
        first, facts = _total_markdown(bill)
    else:
        first, *rest = headline(bill, asked_aws=extras.asked_for_prices).lines
        first, facts = f"**{markdown_cell(first)}**", [markdown_cell(fact) for fact in rest]
    lines = [f"### Cost of {markdown_cell(bill.environment)}: {first}", ""]
    facts += _more_facts(bill, extras)
    lines += [f"- {fact}" for fact in facts]
    lines += [f"- budget **{gate.status}**: {markdown_cell(gate.message)}" for gate in gates]
    lines += ["", "<details><summary>Lines</summary>", ""]
    lines += _lines_markdown(bill)
    lines += ["", "</details>", ""]
    lines += ["<details><summary>Unknown lines, notes and sources</summary>", ""]
    lines += [
        f"- {markdown_cell(line.item)}: {markdown_cell(_why(line))}"
        for line in bill.lines
        if _why(line)
    ]
    lines += [
        f"- {markdown_cell(source)}, {markdown_cell(date)}" for source, date in _sources(bill)
    ]
    lines += ["", "</details>"]
    return "\n".join(lines) + "\n"


def _total_markdown(bill: Bill) -> tuple[str, list[str]]:
    """The title and the first facts of a bill whose instances have prices."""
    total = bill.total
    least = "at least " if total.at_least else ""
    facts = [f"{least}{_money(total.hourly_usd)} USD per hour"]
    if total.run_usd is not None and bill.run_hours is not None:
        run = f"{least}{_money(total.run_usd)} USD for a run of {_number(bill.run_hours)} hours"
        facts.append(markdown_cell(f"{run}{_from(bill)}"))
    if total.unknown_lines:
        facts.append(f"{total.unknown_lines} lines are unknown and add to the total")
    return f"{least}**{_money(total.monthly_usd)} USD per month**", facts


def _lines_markdown(bill: Bill) -> list[str]:
    header = ["component", "item", "quantity", "unit", "USD per unit", "USD/h", "USD/month"]
    aligns: list[Align] = ["left", "left", "right", "left", "right", "right", "right"]
    rows = [[line.component, line.item, *_cells(line)] for line in bill.lines]
    if bill.scenario is not None:
        header.append("indicative, USD/month")
        aligns.append("right")
        rows = [[*row, _indicative(line)] for row, line in zip(rows, bill.lines, strict=True)]
    return markdown_table(header, rows, aligns)


def _indicative(line: Line) -> str:
    """The amount of a month at the price of the indication."""
    usd = line.indicative_monthly_usd
    return "" if line.known or usd is None else _money(usd)


def _more_facts(bill: Bill, extras: CostExtras) -> list[str]:
    """Items of the summary besides the sums."""
    total, exchange = bill.total, extras.exchange
    facts = []
    if exchange is not None:
        month = parts.exchanged(total.monthly_usd, exchange)
        facts.append(
            f"{month} {exchange.currency} per month at {_number(exchange.rate)} of {exchange.date}"
        )
    idle = bill.idle
    facts.append(
        f"{_money(idle.hourly_usd)} USD per hour while no job runs, "
        f"{_money(idle.at_zero_hourly_usd)} with every compute group at 0 instances"
    )
    if extras.saving is not None and extras.saving.monthly_usd is not None:
        saved = _money(extras.saving.monthly_usd)
        facts.append(
            f"{saved} USD per month less without {markdown_cell(extras.saving.storage.name)}"
        )
    if extras.comparison is not None:
        spending = extras.comparison.spending
        facts.append(
            f"spent since {spending.start}: {_money(spending.total_usd)} USD, expected: "
            f"{_money(extras.comparison.expected_usd)} USD"
        )
    return [*facts, *map(markdown_cell, bill.warnings), *map(markdown_cell, extras.live or ())]


def _other(usd: Decimal | None, exchange: Exchange | None) -> str:
    if exchange is None:
        return ""
    return "?" if usd is None else parts.exchanged(usd, exchange)


def _cells(line: Line) -> tuple[str, str, str, str, str]:
    return (
        "by use" if line.quantity is None else _number(line.quantity),
        line.unit,
        "unknown" if line.unit_price_usd is None else _number(line.unit_price_usd),
        "?" if line.hourly_usd is None else _money(line.hourly_usd),
        "?" if line.monthly_usd is None else _money(line.monthly_usd),
    )


def _notes_text(bill: Bill, style: Style) -> list[str]:
    """Notes on lines with an amount."""
    noted = [line for line in bill.lines if line.known and line.note]
    if not noted:
        return []
    lines = ["", style.paint("bold", "notes on lines:")]
    for line in noted:
        lines += _wrapped(f"{line.item}: {line.note}")
    return lines


def _unknown_text(bill: Bill, style: Style) -> list[str]:
    lines: list[str] = []
    unpriced = [line for line in bill.lines if line.unit_price_usd is None]
    if unpriced:
        head = f"price unknown ({_each(len(unpriced))} to the total"
        lines += ["", style.paint("unknown", head)]
        for line in unpriced:
            if line.note:
                lines += _wrapped(f"{_short(line.item)}: {line.note}")
        for why in dict.fromkeys(line.reason for line in unpriced if line.reason):
            lines += _wrapped(why)
        lines += [
            "",
            f"{style.paint('hint', 'hint:')} state your rates in prices.yaml:",
            "  rates:",
        ]
        lines += [f"    - {rate}" for rate in dict.fromkeys(line.rate for line in unpriced)]
    by_use = [line for line in bill.unknown if line.quantity is None]
    if by_use:
        head = f"by use ({_each(len(by_use))} to the total"
        where = "state monthly quantities in prices.yaml, under `usage`"
        lines += ["", style.paint("unknown", head), f"  {where}"]
    return lines


def _each(count: int) -> str:
    return "1 line), adds" if count == 1 else f"{count} lines), each adds"


def _why(line: Line) -> str:
    return "; ".join(part for part in (line.note, line.reason, line.effect) if part)


def _sources_text(bill: Bill, marks: dict[tuple[str, str], int], style: Style) -> list[str]:
    if not marks:
        return []
    old = {_source(line) for line in bill.stale}
    ages = {_source(line): line.age_days for line in bill.lines if line.age_days is not None}
    lines = ["", "prices:"]
    for key, mark in marks.items():
        source, date = key
        age = f", {ages[key]} days old" if key in ages else ""
        stale = f" ({style.paint('warning', 'stale')}{age})" if key in old else ""
        lines.append(f"  [{mark}] {source}, {date}{stale}")
    if old:
        lines.append(f"  stale: older than {STALE_AFTER_DAYS} days, or undated")
    return lines


def _gate_text(gate: Gate, style: Style) -> list[str]:
    if gate.status == "pass":
        return ["", f"{style.paint('pass', 'budget:')} {gate.message}"]
    word = "error" if gate.status == "fail" else "unknown"
    lines = ["", f"{style.paint(word, f'{word}:')} {gate.message}"]
    if gate.position is not None:
        lines += excerpt(gate.position, style, meaning=word)
    return lines


def _sources(bill: Bill) -> dict[tuple[str, str], int]:
    """Each source with its date, numbered in the order of the lines."""
    found: dict[tuple[str, str], int] = {}
    for line in bill.lines:
        if line.source is not None:
            found.setdefault(_source(line), len(found) + 1)
    return found


def _source(line: Line) -> tuple[str, str]:
    return line.source or "", line.date or ""


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="  ", subsequent_indent="    ")


def _short(item: str, length: int = 40) -> str:
    return item if len(item) <= length else item[: length - 1] + "…"


_money, _number = money, parts.number
