"""Capacity that is paid for and does no work: spares, more than is used, longer than is used."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from clusterwright.cost.bill import Line, Prepaid, Unused
from clusterwright.cost.components.compute import COMMITMENT_UNIT, purchase_id
from clusterwright.cost.line_builder import Pricing


def purchases(pricing: Pricing) -> tuple[Prepaid, ...]:
    """What was bought of what the spec names, in its order, each once."""
    names = dict.fromkeys(purchase_id(group) for group in pricing.cluster.compute)
    found = [pricing.prepaid(name) for name in names if name is not None]
    return tuple(one for one in found if one is not None)


def unused(
    pricing: Pricing, lines: tuple[Line, ...], run_hours: Decimal | None
) -> Iterator[Unused]:
    """Parts of the bill that pay for no work, by group."""
    for group in pricing.cluster.compute:
        if group.spare_count:
            paid = [line for line in lines if _is_of(line, group.name)]
            yield _some(
                group.name, "spares, kept out of jobs", group.spare_count, _rate(paid), run_hours
            )
    for line in lines:
        if line.component == "compute" and line.group is None:
            counted = None if line.unit == COMMITMENT_UNIT else line.quantity
            hourly = line.hourly_usd
            run = hourly * run_hours if hourly is not None and run_hours is not None else None
            yield Unused(None, line.item, counted, hourly, run, hourly is not None)
    for one in purchases(pricing):
        beyond = beyond_run_usd(one, run_hours)
        if beyond:
            hours = one.hours - (run_hours or 0)
            name = one.id.rpartition("/")[2]
            why = f"{name}: bought for {hours.normalize():f} h more than the run"
            yield Unused(None, why, Decimal(one.instances), None, beyond)


def beyond_run_usd(one: Prepaid, run_hours: Decimal | None) -> Decimal:
    """What was paid for the hours after the run; 0 without the hours of a run."""
    if run_hours is None or run_hours >= one.hours:
        return Decimal(0)
    return one.usd_per_instance_hour * one.instances * (one.hours - run_hours)


def warnings(pricing: Pricing, run_hours: Decimal | None) -> Iterator[str]:
    """What does not fit between purchases and the cluster."""
    for one in purchases(pricing):
        name = one.id.rpartition("/")[2]
        wanted = sum(g.count for g in pricing.cluster.compute if purchase_id(g) == one.id)
        if wanted > one.instances:
            yield f"{name} has {one.instances} instances, the cluster takes {wanted} of it"
        if run_hours is not None and run_hours > one.hours:
            yield (
                f"{name} ends after {one.hours.normalize():f} h, the run takes "
                f"{run_hours.normalize():f} h: the rest is priced at the plan's rate, and nobody "
                "has sold it"
            )
        if one.end is not None and one.end < pricing.today.isoformat():
            yield f"{name} ended on {one.end}"


def _is_of(line: Line, group: str) -> bool:
    return line.component == "compute" and line.group == group


def _rate(lines: list[Line]) -> Decimal | None:
    """Per instance of a group, over the lines it is charged by."""
    instances = sum((line.quantity or Decimal(0) for line in lines), Decimal(0))
    hourly = [line.hourly_usd for line in lines]
    if not instances or any(one is None for one in hourly):
        return None
    return sum((one for one in hourly if one is not None), Decimal(0)) / instances


def _some(
    group: str, why: str, instances: int, rate: Decimal | None, run_hours: Decimal | None
) -> Unused:
    hourly = rate * instances if rate is not None else None
    run = hourly * run_hours if hourly is not None and run_hours is not None else None
    return Unused(group, why, Decimal(instances), hourly, run, hourly is not None)
