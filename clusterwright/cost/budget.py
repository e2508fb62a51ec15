"""The spec's budgets as gates: broken, kept, or not to be told while a line is unknown."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from clusterwright.cost.bill import Bill, Gate
from clusterwright.spec import LoadedSpec
from clusterwright.spec.problems import Path

MONTHLY: Path = ("budget", "monthly_usd")
RUN: Path = ("budget", "run_usd")


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
            f"but {unknown} {lines} unknown"
        )
        return Gate(text, position, limit_usd, known, "unknown", message)
    message = f"{what} costs {known:,.2f} USD of {limit_usd:,.2f} USD"
    return Gate(text, position, limit_usd, known, "pass", message)
