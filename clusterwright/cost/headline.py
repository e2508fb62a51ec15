"""What a bill says first: the total, or a scenario where instances have no price.

The sums of the known lines say little while the instances have no price: 0.23 USD an hour for a
cluster of a hundred GPUs. Then the scenario comes first, with the name of the prices in it, and
the known parts second.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from clusterwright.cost.bill import COMPUTE, Bill, Line, Scenario
from clusterwright.cost.delta import CostDelta, LineDelta

_NAMES_SHOWN = 4


@dataclass(frozen=True)
class Headline:
    """Sentences about the cost of a cluster, the most important one first.

    Attributes
    ----------
    cost:
        The total, the scenario, or that the cost is unknown.
    scenario:
        The sums of the scenario; None without one, or if `cost` states them.
    basis:
        The prices of the scenario and where they are used; None without a scenario.
    known_parts:
        The sums of the known lines; None if `cost` states them.
    not_counted:
        The lines that are in no sum; None if there are none.
    get_the_price:
        How to get the missing prices; None if no instance lacks one.
    """

    cost: str
    scenario: str | None = None
    basis: str | None = None
    known_parts: str | None = None
    not_counted: str | None = None
    get_the_price: str | None = None

    @property
    def lines(self) -> tuple[str, ...]:
        """The sentences in their order."""
        found = (
            self.cost,
            self.scenario,
            self.basis,
            self.known_parts,
            self.not_counted,
            self.get_the_price,
        )
        return tuple(line for line in found if line is not None)


def headline(bill: Bill, *, asked_aws: bool = False) -> Headline:
    """The headline of a bill; `asked_aws` if the missing prices were requested from AWS."""
    total, scenario = bill.total, bill.scenario
    sums = amounts(bill, total.hourly_usd, total.monthly_usd, total.run_usd)
    least = "at least " if total.at_least else ""
    if scenario is None:
        return Headline(f"{least}{sums}", not_counted=_not_counted(bill.unknown))
    supposed = amounts(bill, scenario.hourly_usd, scenario.monthly_usd, scenario.run_usd)
    counted = {id(line) for line in (*scenario.lines, *scenario.without)}
    rest = _not_counted([line for line in bill.unknown if id(line) not in counted])
    known = f"known parts: {sums}"
    hint = (
        "get the price: AWS was asked and states none; state yours in prices.yaml"
        if asked_aws
        else "get the price: `--live` reads it from AWS, or state yours in prices.yaml"
    )
    if not cost_is_unknown(bill):
        return Headline(f"about {supposed}", None, basis_text(scenario), known, rest, hint)
    cost = f"cost unknown: no price of {_names(bill.unpriced_instances)}"
    if not scenario.lines:
        none = f"no source has another price of {_names(scenario.without)} in {bill.region}"
        return Headline(cost, None, none, known, rest, hint)
    return Headline(cost, f"scenario: {supposed}", basis_text(scenario), known, rest, hint)


def cost_is_unknown(bill: Bill) -> bool:
    """Whether instances without a price are the larger part of the scenario, or have none."""
    scenario = bill.scenario
    if scenario is None:
        return False
    return bool(scenario.without) or scenario.monthly_usd > 2 * bill.total.monthly_usd


def basis_text(scenario: Scenario) -> str:
    """`with EC2's on-demand price, not HyperPod's, for workers`."""
    return _basis(scenario.lines, scenario.without)


def change_headline(delta: CostDelta) -> tuple[str, ...]:
    """What a change costs where its instances have no price; empty where they have one.

    The first line has the difference of a month in the scenario, and what is unknown.
    """
    scenario = delta.scenario
    if scenario is None:
        return ()
    lines = [_sides(line) for line in scenario.lines]
    used = [side for sides in lines for side in sides if side.indication is not None]
    without = [_sides(line)[-1] for line in scenario.without]
    unpriced = [side for side in (*used, *without) if side.component == COMPUTE]
    cost = f"cost unknown: no price of {_names(unpriced)}"
    if not used:
        region = delta.after.region
        return (f"{cost}, and no source has another price of it in {region}",)
    after, before = delta.after.scenario, delta.before.scenario
    ends = (
        (before or delta.before.total).monthly_usd,
        (after or delta.after.total).monthly_usd,
    )
    return (
        f"about {signed(scenario.monthly_usd)} USD a month ({money(ends[0])} before, "
        f"{money(ends[1])} after), {_basis(used, without)}; {cost}",
        "get the price: `clusterwright cost --live` reads it from AWS, or state yours in "
        "prices.yaml",
    )


def change_sentence(cost: CostDelta) -> str:
    """The difference of two bills in a sentence: of a month first, then what is unknown."""
    before, after = cost.before.total.monthly_usd, cost.after.total.monthly_usd
    unpriced = change_headline(cost)
    if unpriced:
        return unpriced[0].removeprefix("cost ")
    unknown = ""
    if cost.unknown_changes:
        count = cost.unknown_changes
        what = "1 changed line has" if count == 1 else f"{count} changed lines have"
        unknown = f"unknown: {what} no known price or quantity"
        if cost.monthly_usd == 0:
            return unknown
    elif cost.monthly_usd == 0:
        unpriced_lines = cost.after.total.unknown_lines
        more = f", plus {unpriced_lines} lines without a known price" if unpriced_lines else ""
        return f"no change: {after:,.2f} USD a month{more}"
    percent = cost.increase_percent
    share = f" ({percent:+,.1f} %)" if percent is not None else ""
    known = f"{cost.monthly_usd:+,.2f} USD a month"
    ends = f"{share}: {before:,.2f} before, {after:,.2f} after"
    return f"{known} of the known lines{ends}; {unknown}" if unknown else f"{known}{ends}"


def signed(usd: Decimal) -> str:
    """An increase with its sign."""
    return f"{'+' if usd > 0 else ''}{money(usd)}"


def _sides(line: LineDelta) -> list[Line]:
    return [side for side in (line.before, line.after) if side is not None]


def _basis(lines: Iterable[Line], without: Sequence[Line]) -> str:
    groups: dict[str, list[Line]] = {}
    for line in lines:
        if line.indication is not None:
            groups.setdefault(line.indication.basis, []).append(line)
    text = "with " + "; ".join(f"{basis}, for {_names(lines)}" for basis, lines in groups.items())
    return f"{text}; without {_names(without)}" if without else text


def short_headline(bill: Bill) -> str:
    """The headline in one line, for a comparison of bills."""
    found = headline(bill)
    return "; ".join(
        part for part in (found.cost, found.scenario, found.basis, found.known_parts) if part
    )


def amounts(bill: Bill, hourly: Decimal, monthly: Decimal, run: Decimal | None) -> str:
    """Sums per hour, per month and per run in words."""
    text = f"{money(hourly)} USD an hour, {money(monthly)} USD a month"
    if run is None or bill.run_hours is None:
        return text
    return f"{text}, {money(run)} USD for a run of {bill.run_hours.normalize():,f} h"


def money(usd: Decimal) -> str:
    """An amount with cents, or with four decimals below a cent."""
    digits = 2 if usd == 0 or abs(usd) >= Decimal("0.01") else 4
    return f"{usd:,.{digits}f}"


def _names(lines: Sequence[Line]) -> str:
    names = list(dict.fromkeys(_name(line) for line in lines))
    if len(names) > _NAMES_SHOWN:
        names = [*names[: _NAMES_SHOWN - 1], f"{len(names) - _NAMES_SHOWN + 1} more"]
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _name(line: Line) -> str:
    if line.group is None:
        return line.item
    return line.group if line.component == COMPUTE else f"{line.component} of {line.group}"


def _not_counted(lines: Iterable[Line]) -> str | None:
    found = list(lines)
    if not found:
        return None
    components = ", ".join(dict.fromkeys(line.component for line in found))
    count = "1 line" if len(found) == 1 else f"{len(found)} lines"
    by_use = sum(line.quantity is None for line in found)
    used = f", {by_use} of them charged by use" if by_use else ""
    return f"not counted: {count} without a price or a quantity{used} ({components})"
