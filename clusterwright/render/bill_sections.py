"""What surrounds the lines of a bill, as text and as data: idle, unused, blends, spending."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from clusterwright.cost.bill import Bill
from clusterwright.cost.bill_extras import Exchange, Saving, SpendingComparison
from clusterwright.render.style import Style
from clusterwright.render.table import columns


def money(amount: Decimal) -> str:
    digits = 2 if amount == 0 or abs(amount) >= Decimal("0.01") else 4
    return f"{amount:,.{digits}f}"


def number(quantity: Decimal) -> str:
    """Without trailing zeros; a quotient is cut to what can be read."""
    digits = 6 if abs(quantity) >= Decimal("0.01") else 12
    return f"{round(quantity, digits).normalize():,f}"


def rounded(amount: Decimal | None, digits: int = 6) -> Decimal | None:
    return None if amount is None else round(amount, digits)


def exchanged(amount: Decimal, exchange: Exchange) -> str:
    return f"{exchange.of(amount):,.{exchange.digits}f}"


def parts_data(bill: Bill) -> dict[str, Any]:
    """`idle`, `unused`, `prepaid`, `blends` and `warnings` of the answer."""
    idle = bill.idle
    return {
        "idle": {
            "hourly_usd": rounded(idle.hourly_usd),
            "at_zero_hourly_usd": rounded(idle.at_zero_hourly_usd),
            "released_hourly_usd": rounded(idle.released_hourly_usd),
            "outside_run_usd": rounded(idle.outside_run_usd),
            "at_least": idle.unknown_lines > 0,
            "unknown_lines": idle.unknown_lines,
        },
        "unused": [
            {
                "group": one.group,
                "why": one.why,
                "instances": one.instances,
                "hourly_usd": rounded(one.hourly_usd),
                "run_usd": rounded(one.run_usd),
            }
            for one in bill.unused
        ],
        "prepaid": [
            {
                "id": one.id,
                "instances": one.instances,
                "hours": one.hours,
                "upfront_usd": one.upfront_usd,
                "usd_per_instance_hour": rounded(one.usd_per_instance_hour),
                "start": one.start,
                "end": one.end,
                "source": one.source,
                "date": one.date,
                "origin": one.origin,
            }
            for one in bill.prepaid
        ],
        "blends": [
            {
                "group": blend.group,
                "instances": blend.instances,
                "usd_per_instance_hour": rounded(blend.usd_per_instance_hour),
                "hourly_usd": rounded(blend.hourly_usd),
                "shares": [
                    {
                        "kind": share.kind,
                        "instances": share.instances,
                        "usd_per_instance_hour": rounded(share.usd_per_instance_hour),
                    }
                    for share in blend.shares
                ],
                "fallbacks": [
                    {
                        "kind": share.kind,
                        "usd_per_instance_hour": rounded(share.usd_per_instance_hour),
                        "hourly_usd": rounded(
                            None
                            if share.usd_per_instance_hour is None
                            else share.usd_per_instance_hour * share.instances
                        ),
                    }
                    for share in blend.fallbacks
                ],
            }
            for blend in bill.blends
        ],
        **_growth_data(bill),
        "warnings": list(bill.warnings),
    }


def _growth_data(bill: Bill) -> dict[str, Any]:
    """`growth`: null where no group may grow."""
    if bill.growth is None:
        return {"growth": None}
    total = bill.growth.total
    return {
        "growth": {
            "groups": list(bill.growth.groups),
            "hourly_usd": rounded(total.hourly_usd),
            "monthly_usd": rounded(total.monthly_usd),
            "at_least": total.at_least,
            "unknown_lines": total.unknown_lines,
        }
    }


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


def exchange_data(bill: Bill, exchange: Exchange) -> dict[str, Any]:
    """The sums in the second currency, with the rate that made them."""
    total = bill.total
    return {
        "currency": exchange.currency,
        "rate": exchange.rate,
        "date": exchange.date,
        "age_days": exchange.age_days,
        "stale": exchange.stale,
        "total": {
            "hourly": rounded(exchange.of(total.hourly_usd)),
            "monthly": rounded(exchange.of(total.monthly_usd)),
            "run": rounded(exchange.of(total.run_usd)),
            "at_least": total.at_least,
        },
    }


def exchange_text(exchange: Exchange, style: Style) -> list[str]:
    text = f"1 USD is {number(exchange.rate)} {exchange.currency} (your rate of {exchange.date})"
    if exchange.stale:
        old = f"{style.paint('warning', 'warning:')} the rate is {exchange.age_days} days old"
        return ["", text, old]
    return ["", text]


def saving_data(saving: Saving) -> dict[str, Any]:
    return {
        "storage": saving.storage.name,
        "mount_path": saving.storage.mount_path,
        "existing": saving.storage.existing,
        "hourly_usd": rounded(saving.hourly_usd),
        "monthly_usd": rounded(saving.monthly_usd),
        "at_least": saving.unknown_lines > 0 or saving.storage.existing,
        "lines": [line.item for line in saving.lines],
    }


def saving_text(saving: Saving, style: Style) -> list[str]:
    """What ends with a file system, and what must be proved before."""
    name = saving.storage.name
    lines = ["", style.paint("bold", f"without {name} ({saving.storage.mount_path}):")]
    if saving.monthly_usd is None or saving.hourly_usd is None:
        lines.append("  it exists outside the stacks: what it costs is on another bill")
    else:
        least = "at least " if saving.unknown_lines else ""
        lines.append(
            f"  {least}{money(saving.hourly_usd)} USD an hour and {money(saving.monthly_usd)} "
            "USD a month less"
        )
    hint = f"clusterwright check --retire {name}"
    lines.append(f"  first prove that every file is exported: {hint}")
    return lines


def comparison_data(comparison: SpendingComparison) -> dict[str, Any]:
    spending = comparison.spending
    return {
        "tag": {"key": spending.tag, "value": spending.value, "status": spending.tag_status},
        "start": spending.start,
        "end": spending.end,
        "days_with_cost": spending.days_with_cost,
        "last_day": spending.last_day,
        "estimated": spending.estimated,
        "expected_usd": rounded(comparison.expected_usd),
        "actual_usd": rounded(spending.total_usd),
        "difference_usd": rounded(spending.total_usd - comparison.expected_usd),
        "untagged_usd": rounded(comparison.untagged_usd),
        "untagged_by_service": (
            None
            if spending.untagged_by_service is None
            else {name: rounded(usd) for name, usd in sorted(spending.untagged_by_service.items())}
        ),
        "rows": [
            {
                "family": row.family,
                "expected_usd": rounded(row.expected_usd),
                "actual_usd": rounded(row.actual_usd),
                "difference_usd": rounded(row.difference_usd),
                "unknown_lines": row.unknown_lines,
            }
            for row in comparison.rows
        ],
        "notes": list(comparison.notes),
    }


def comparison_text(comparison: SpendingComparison, style: Style) -> list[str]:
    """Expected beside spent, then what cannot be seen."""
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
