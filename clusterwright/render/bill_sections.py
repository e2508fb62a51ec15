"""Sections of a bill besides its lines: idle, unused, blends, spending."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from clusterwright.cost.bill import Bill
from clusterwright.cost.bill_extras import Exchange, Saving, SpendingComparison
from clusterwright.cost.headline import basis_text, money
from clusterwright.render.style import Style
from clusterwright.render.table import columns


def number(quantity: Decimal) -> str:
    """A number without trailing zeros, rounded to readable digits."""
    digits = 6 if abs(quantity) >= Decimal("0.01") else 12
    return f"{round(quantity, digits).normalize():,f}"


def exchanged(amount: Decimal, exchange: Exchange) -> str:
    return f"{exchange.of(amount):,.{exchange.digits}f}"


def parts_text(bill: Bill, style: Style) -> list[str]:
    """Idle and unused capacity, and blends."""
    idle, lines = bill.idle, ["", style.paint("bold", "while no job runs:")]
    least = "at least " if idle.unknown_lines else ""
    lines.append(
        f"  {least}{money(idle.hourly_usd)} USD an hour; "
        f"{money(idle.at_zero_hourly_usd)} with every compute group at 0 instances"
    )
    if idle.outside_run_usd is not None:
        lines.append(
            f"  {least}{money(idle.outside_run_usd)} USD for the hours of a month outside the run"
        )
    if bill.unused:
        lines += ["", style.paint("bold", "paid for and not used (part of the total):")]
        for one in bill.unused:
            count = "" if one.instances is None else f"{number(one.instances)} × "
            group = "" if one.group is None else f"{one.group}: "
            lines.append(f"  {group}{count}{one.why}: {_unused(one.hourly_usd, one.run_usd)}")
    if bill.growth is not None:
        total = bill.growth.total
        least = "at least " if total.at_least else ""
        lines += [
            "",
            style.paint("bold", f"with {', '.join(bill.growth.groups)} at max_count:"),
            f"  {least}{money(total.hourly_usd)} USD an hour, "
            f"{money(total.monthly_usd)} USD a month in all",
        ]
        scenario = bill.growth.scenario
        if scenario is not None and scenario.lines:
            lines.append(
                f"  scenario: {money(scenario.hourly_usd)} USD an hour, "
                f"{money(scenario.monthly_usd)} USD a month in all, {basis_text(scenario)}"
            )
    for blend in bill.blends:
        lines += [
            "",
            style.paint("bold", f"{blend.group}: a blend of {blend.instances} instances"),
        ]
        for share in blend.shares:
            lines.append(
                f"  {share.instances} × {share.kind}: {_rate(share.usd_per_instance_hour)}"
            )
        lines.append(f"  an instance on average: {_rate(blend.usd_per_instance_hour)}")
        for share in blend.fallbacks:
            lines.append(f"  if all came from {share.kind}: {_rate(share.usd_per_instance_hour)}")
    return lines


def warnings_text(bill: Bill, style: Style) -> list[str]:
    if not bill.warnings:
        return []
    return ["", *(f"{style.paint('warning', 'warning:')} {text}" for text in bill.warnings)]


def exchange_text(exchange: Exchange, style: Style) -> list[str]:
    text = f"1 USD is {number(exchange.rate)} {exchange.currency} (your rate of {exchange.date})"
    if exchange.stale:
        old = f"{style.paint('warning', 'warning:')} the rate is {exchange.age_days} days old"
        return ["", text, old]
    return ["", text]


def saving_text(saving: Saving, style: Style) -> list[str]:
    """The saving of deleting a file system, and the check to run before."""
    name = saving.storage.name
    lines = ["", style.paint("bold", f"without {name} ({saving.storage.mount_path}):")]
    if saving.monthly_usd is None or saving.hourly_usd is None:
        lines.append("  it exists outside the stacks: its cost is not on this bill")
    else:
        least = "at least " if saving.unknown_lines else ""
        lines.append(
            f"  {least}{money(saving.hourly_usd)} USD an hour and {money(saving.monthly_usd)} "
            "USD a month less"
        )
    hint = f"clusterwright check --retire {name}"
    lines.append(f"  check first that every file is exported: {hint}")
    return lines


def comparison_text(comparison: SpendingComparison, style: Style) -> list[str]:
    """Expected and actual spending, and untagged spending."""
    spending = comparison.spending
    last = spending.end.fromordinal(spending.end.toordinal() - 1)
    head = f"spent with {spending.tag}={spending.value}, {spending.start} to {last}:"
    rows: list[Sequence[str]] = [("", "bill, USD", "spent, USD", "difference", "")]
    for row in comparison.rows:
        lines_of = "1 line" if row.unknown_lines == 1 else f"{row.unknown_lines} lines"
        more = f"{lines_of} of the bill unknown" if row.unknown_lines else ""
        rows.append(
            (
                "  " + row.family,
                money(row.expected_usd),
                money(row.actual_usd),
                _signed(row.difference_usd),
                more,
            )
        )
    difference = spending.total_usd - comparison.expected_usd
    total = (money(comparison.expected_usd), money(spending.total_usd), _signed(difference))
    rows.append(("  total", *total, ""))
    lines = ["", style.paint("bold", head)]
    lines += columns(rows, ("left", "right", "right", "right", "left"))
    if comparison.untagged_usd is not None:
        lines.append(
            f"  without the tag, in the whole account: {money(comparison.untagged_usd)} USD"
        )
    return [*lines, *(f"  {note}" for note in comparison.notes)]


def _unused(hourly: Decimal | None, run: Decimal | None) -> str:
    found = [] if hourly is None else [f"{money(hourly)} USD an hour"]
    if run is not None:
        found.append(f"{money(run)} USD over the run")
    return ", ".join(found) or "price unknown"


def _rate(usd: Decimal | None) -> str:
    return "unknown" if usd is None else f"{number(usd)} USD an hour"


def _signed(amount: Decimal) -> str:
    return f"{'+' if amount > 0 else ''}{money(amount)}"
