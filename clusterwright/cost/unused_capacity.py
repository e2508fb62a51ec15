"""Capacity that is paid for and not used: spares, surplus instances, surplus hours."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from clusterwright.cost.bill import Line, Prepaid, Unused
from clusterwright.cost.components.compute import COMMITMENT_UNIT, purchase_id
from clusterwright.cost.line_builder import LineBuilder


def purchases(builder: LineBuilder) -> tuple[Prepaid, ...]:
    """Purchases that the spec refers to, in its order, without duplicates."""
    names = dict.fromkeys(purchase_id(group) for group in builder.cluster.compute)
    found = [builder.prepaid(name) for name in names if name is not None]
    return tuple(purchase for purchase in found if purchase is not None)


def unused_capacity(
    builder: LineBuilder, lines: tuple[Line, ...], run_hours: Decimal | None
) -> Iterator[Unused]:
    """Unused parts of the bill, by group."""
    for group in builder.cluster.compute:
        if group.spare_count:
            paid = [line for line in lines if _is_of(line, group.name)]
            yield _spares(
                group.name, "spares, kept out of jobs", group.spare_count, _rate(paid), run_hours
            )
    for line in lines:
        if line.component == "compute" and line.group is None:
            counted = None if line.unit == COMMITMENT_UNIT else line.quantity
            hourly = line.hourly_usd
            run = hourly * run_hours if hourly is not None and run_hours is not None else None
            yield Unused(None, line.item, counted, hourly, run, hourly is not None)
    for purchase in purchases(builder):
        beyond = beyond_run_usd(purchase, run_hours)
        if beyond:
            hours = purchase.hours - (run_hours or 0)
            name = purchase.id.rpartition("/")[2]
            why = f"{name}: bought for {hours.normalize():f} h more than the run"
            yield Unused(None, why, Decimal(purchase.instances), None, beyond)


def beyond_run_usd(purchase: Prepaid, run_hours: Decimal | None) -> Decimal:
    """Cost of the purchased hours after the run; 0 if the hours of the run are unknown."""
    if run_hours is None or run_hours >= purchase.hours:
        return Decimal(0)
    surplus = purchase.hours - run_hours
    return purchase.usd_per_instance_hour * purchase.instances * surplus


def warnings(builder: LineBuilder, run_hours: Decimal | None) -> Iterator[str]:
    """Purchases that are too small, too short or expired."""
    for purchase in purchases(builder):
        name = purchase.id.rpartition("/")[2]
        wanted = sum(g.count for g in builder.cluster.compute if purchase_id(g) == purchase.id)
        if wanted > purchase.instances:
            yield f"{name} has {purchase.instances} instances, and the cluster needs {wanted}"
        if run_hours is not None and run_hours > purchase.hours:
            yield (
                f"{name} ends after {purchase.hours.normalize():f} h, and the run takes "
                f"{run_hours.normalize():f} h: the remaining hours have the plan's rate, but are "
                "not bought"
            )
        if purchase.end is not None and purchase.end < builder.today.isoformat():
            yield f"{name} ended on {purchase.end}"


def _is_of(line: Line, group: str) -> bool:
    return line.component == "compute" and line.group == group


def _rate(lines: list[Line]) -> Decimal | None:
    """Rate per instance of a group, over its lines."""
    instances = sum((line.quantity or Decimal(0) for line in lines), Decimal(0))
    hourly = [line.hourly_usd for line in lines]
    if not instances or any(usd is None for usd in hourly):
        return None
    return sum((usd for usd in hourly if usd is not None), Decimal(0)) / instances


def _spares(
    group: str, why: str, instances: int, rate: Decimal | None, run_hours: Decimal | None
) -> Unused:
    hourly = rate * instances if rate is not None else None
    run = hourly * run_hours if hourly is not None and run_hours is not None else None
    return Unused(group, why, Decimal(instances), hourly, run, hourly is not None)
