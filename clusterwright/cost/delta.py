"""The cost of a change of a spec: two bills compared by component and line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from clusterwright.cost.bill import COMPUTE, HOURS_PER_MONTH, Bill, Line

Change = Literal["added", "removed", "changed", "same"]


@dataclass(frozen=True)
class LineDelta:
    """One line before and after the change; None if absent.

    Lines are matched by component and item, or by path if the item includes a quantity.
    """

    component: str
    item: str
    before: Line | None
    after: Line | None

    @property
    def change(self) -> Change:
        if self.before is None:
            return "added"
        if self.after is None:
            return "removed"
        before, after = self.before, self.after
        kept = (before.quantity, before.unit_price_usd) == (after.quantity, after.unit_price_usd)
        return "same" if kept and before.item == after.item else "changed"

    @property
    def unknown(self) -> bool:
        """Whether the cost of the change is unknown: a side has no amount.

        A line that is unknown on both sides and unchanged adds no cost.
        """
        if self.change == "same":
            return False
        return any(line is not None and not line.known for line in (self.before, self.after))

    @property
    def may_decrease(self) -> bool:
        """Whether the cost of the old line, and so a decrease, is unknown."""
        return self.before is not None and not self.before.known

    @property
    def hourly_usd(self) -> Decimal | None:
        """Increase per hour; None if unknown."""
        return None if self.unknown else _hourly(self.after) - _hourly(self.before)

    @property
    def monthly_usd(self) -> Decimal | None:
        return None if self.unknown else _monthly(self.after) - _monthly(self.before)

    @property
    def indicative_monthly_usd(self) -> Decimal | None:
        """Increase per month with indications; None if a side has no amount even so."""
        found = Decimal(0)
        for sign, line in ((-1, self.before), (1, self.after)):
            usd = Decimal(0) if line is None else line.indicative_monthly_usd
            if usd is None:
                return None
            found += sign * usd
        return found


@dataclass(frozen=True)
class ScenarioDelta:
    """The cost of a change with the indications of instances without a price.

    Attributes
    ----------
    monthly_usd:
        Increase per month: of the known changes and of `lines`.
    lines:
        Changed lines whose price is an indication on a side.
    without:
        Changed lines of instances with neither a price nor an indication.
    """

    monthly_usd: Decimal
    lines: tuple[LineDelta, ...]
    without: tuple[LineDelta, ...]

    @property
    def hourly_usd(self) -> Decimal:
        return self.monthly_usd / HOURS_PER_MONTH


@dataclass(frozen=True)
class ComponentDelta:
    """Sums of a component's known lines before and after, and how many changes are unknown."""

    component: str
    before_monthly_usd: Decimal
    after_monthly_usd: Decimal
    before_hourly_usd: Decimal
    after_hourly_usd: Decimal
    unknown_changes: int

    @property
    def hourly_usd(self) -> Decimal:
        return self.after_hourly_usd - self.before_hourly_usd

    @property
    def monthly_usd(self) -> Decimal:
        return self.after_monthly_usd - self.before_monthly_usd


@dataclass(frozen=True)
class CostDelta:
    """The cost of a change. Sums are of known lines; `unknown_changes` counts the others."""

    before: Bill
    after: Bill
    lines: tuple[LineDelta, ...]
    components: tuple[ComponentDelta, ...]

    @property
    def hourly_usd(self) -> Decimal:
        return self.after.total.hourly_usd - self.before.total.hourly_usd

    @property
    def monthly_usd(self) -> Decimal:
        return self.after.total.monthly_usd - self.before.total.monthly_usd

    @property
    def scenario(self) -> ScenarioDelta | None:
        """The change with indications; None if the changed instances have prices."""
        unknown = [line for line in self.lines if line.unknown]
        if not any(line.component == COMPUTE for line in unknown):
            return None
        supposed = tuple(line for line in unknown if line.indicative_monthly_usd is not None)
        more = sum((line.indicative_monthly_usd or Decimal(0) for line in supposed), Decimal(0))
        more += sum((line.monthly_usd or Decimal(0) for line in self.lines), Decimal(0))
        without = tuple(
            line for line in unknown if line.component == COMPUTE and line not in supposed
        )
        return ScenarioDelta(more, supposed, without)

    @property
    def run_usd(self) -> Decimal | None:
        """None unless both bills have a run."""
        before, after = self.before.total.run_usd, self.after.total.run_usd
        return None if before is None or after is None else after - before

    @property
    def unknown_changes(self) -> int:
        """Changed lines whose cost is unknown on one side."""
        return sum(line.unknown for line in self.lines)

    @property
    def unpriced_decreases(self) -> int:
        """Unknown changes that may lower the cost: the known increase is no lower bound then."""
        return sum(line.unknown and line.may_decrease for line in self.lines)

    @property
    def increase_percent(self) -> Decimal | None:
        """Of the month, of the known lines; None if no cost was known before."""
        before = self.before.total.monthly_usd
        return None if before == 0 else self.monthly_usd / before * 100

    @property
    def changed(self) -> tuple[LineDelta, ...]:
        return tuple(line for line in self.lines if line.change != "same")


def cost_delta(before: Bill, after: Bill) -> CostDelta:
    """The increase (or decrease, if negative) from `before` to `after`.

    The bill of a new cluster has no lines before: all lines are added.
    """
    lines = tuple(_matched(before.lines, after.lines))
    names = dict.fromkeys(line.component for line in lines)
    return CostDelta(
        before, after, lines, tuple(_component(name, before, after, lines) for name in names)
    )


def _matched(before: Iterable[Line], after: Iterable[Line]) -> Iterable[LineDelta]:
    """Pairs in the order of `after`, then removed lines."""
    left = list(before)
    found: list[LineDelta] = []
    rest: list[Line] = []
    for line in after:
        same = next((old for old in left if _name(old) == _name(line)), None)
        if same is None:
            rest.append(line)
        else:
            left.remove(same)
        found.append(LineDelta(line.component, line.item, same, line))
    # Lines of the same path with other text (a larger volume, another tier) are one change, not an
    # addition and a removal.
    for index, pair in enumerate(found):
        if pair.after in rest and pair.before is None:
            old = next((o for o in left if _place(o) == _place(pair.after)), None)
            if old is not None:
                left.remove(old)
                found[index] = LineDelta(pair.component, pair.item, old, pair.after)
    found += [LineDelta(line.component, line.item, line, None) for line in left]
    return found


def _name(line: Line) -> tuple[str, str, str]:
    return line.component, line.item, line.unit


def _place(line: Line | None) -> tuple[str, str, str] | None:
    return None if line is None else (line.component, line.path, line.unit)


def _component(
    name: str, before: Bill, after: Bill, lines: tuple[LineDelta, ...]
) -> ComponentDelta:
    old = [line for line in before.lines if line.component == name and line.known]
    new = [line for line in after.lines if line.component == name and line.known]
    return ComponentDelta(
        name,
        sum((_monthly(line) for line in old), Decimal(0)),
        sum((_monthly(line) for line in new), Decimal(0)),
        sum((_hourly(line) for line in old), Decimal(0)),
        sum((_hourly(line) for line in new), Decimal(0)),
        sum(line.unknown for line in lines if line.component == name),
    )


def _hourly(line: Line | None) -> Decimal:
    return (line.hourly_usd or Decimal(0)) if line is not None else Decimal(0)


def _monthly(line: Line | None) -> Decimal:
    return (line.monthly_usd or Decimal(0)) if line is not None else Decimal(0)
