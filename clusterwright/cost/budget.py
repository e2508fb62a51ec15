"""Gates of the spec's budgets: pass, fail, or unknown while a line is unknown."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from clusterwright.cluster_spec import LoadedSpec
from clusterwright.cluster_spec.problems import Path
from clusterwright.cost.bill import Bill, Gate
from clusterwright.cost.delta import CostDelta

MONTHLY: Path = ("budget", "monthly_usd")
RUN: Path = ("budget", "run_usd")
INCREASE: Path = ("budget", "max_increase_percent")


def gates(spec: LoadedSpec, bill: Bill) -> Iterator[Gate]:
    """One gate per limit of the spec's budget."""
    budget = spec.cluster.budget
    if budget is None:
        return
    total = bill.total
    if budget.monthly_usd is not None:
        yield _gate(spec, bill, MONTHLY, budget.monthly_usd, total.monthly_usd, "a month")
    if budget.run_usd is not None:
        hours = "" if bill.run_hours is None else f"a run of {bill.run_hours.normalize():f} hours"
        yield _gate(spec, bill, RUN, budget.run_usd, total.run_usd, hours)


def increase_gate(spec: LoadedSpec, delta: CostDelta) -> Gate | None:
    """The gate of the monthly increase by a change; None without such a limit.

    `fail` if the known part exceeds it; lines that are unknown on both sides and unchanged are
    assumed to cost the same. `unknown` if a changed line has no price, or no cost was known.
    The limit is that of the changed spec, relative to the previous month.
    """
    budget = spec.cluster.budget
    if budget is None or budget.max_increase_percent is None:
        return None
    percent = Decimal(str(budget.max_increase_percent))
    position, text = spec.position(INCREASE), ".".join(map(str, INCREASE))
    before, more = delta.before.total.monthly_usd, delta.monthly_usd
    limit_usd = before * percent / 100
    rise = f"a month costs {more:,.2f} USD more than {before:,.2f} USD"
    allowed = f"{percent.normalize():f} % are allowed"
    if before == 0:
        if more <= 0 and not delta.unknown_changes:
            return Gate(
                text, position, limit_usd, more, "pass", "a month costs no more than before"
            )
        message = f"{rise}: there is no known cost to compare with"
        return Gate(text, position, limit_usd, more, "unknown", message)
    share = f"{more / before * 100:,.1f} %"
    unpriced = delta.unpriced_decreases
    if more > limit_usd and not unpriced:
        message = f"{rise} ({share}), {allowed}"
        return Gate(text, position, limit_usd, more, "fail", message)
    if delta.unknown_changes:
        lines = (
            "1 changed line is"
            if delta.unknown_changes == 1
            else (f"{delta.unknown_changes} changed lines are")
        )
        message = f"{rise} ({share}) and {lines} unknown; {allowed}"
        return Gate(text, position, limit_usd, more, "unknown", message)
    return Gate(text, position, limit_usd, more, "pass", f"{rise} ({share}), {allowed}")


def _supposed(bill: Bill, path: Path) -> str:
    """The amount of the scenario, where instances have no price."""
    scenario = bill.scenario
    usd = scenario and (scenario.run_usd if path == RUN else scenario.monthly_usd)
    if scenario is None or usd is None or not scenario.lines:
        return ""
    return f"; scenario: {usd:,.2f} USD (`clusterwright cost` names its prices)"


def _gate(
    spec: LoadedSpec, bill: Bill, path: Path, limit: float, known: Decimal | None, what: str
) -> Gate:
    limit_usd = Decimal(str(limit))
    position = spec.position(path)
    text = ".".join(map(str, path))
    if known is None:
        message = f"{text}: the hours of a run are not known"
        return Gate(text, position, limit_usd, None, "unknown", message)
    if known > limit_usd:
        more = " at least" if bill.total.at_least else ""
        message = f"{what} costs{more} {known:,.2f} USD, the budget is {limit_usd:,.2f} USD"
        return Gate(text, position, limit_usd, known, "fail", message)
    unknown = bill.total.unknown_lines
    if unknown:
        lines = "line is" if unknown == 1 else "lines are"
        message = (
            f"{what} costs at least {known:,.2f} USD of {limit_usd:,.2f} USD, "
            f"but {unknown} {lines} unknown{_supposed(bill, path)}"
        )
        return Gate(text, position, limit_usd, known, "unknown", message)
    message = f"{what} costs {known:,.2f} USD of {limit_usd:,.2f} USD"
    return Gate(text, position, limit_usd, known, "pass", message)
