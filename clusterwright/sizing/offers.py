"""What a candidate costs, by kind of capacity; unknown stays unknown and is ranked apart.

Compute alone: nodes and spares x rate x hours. A price of another region, or EC2's times a factor,
is never used in its place. Capacity that is bought in advance is paid in whole blocks or plans
(`capacity.cover`) at the P90 of the days, since it cannot be given back; where only an offer of
some past day is known, the amount is a hint and no price.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from clusterwright.catalog import Catalog
from clusterwright.cost.rates import HourlyRate, hourly_rate
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.plan_types import Candidate, Quantiles
from clusterwright.sizing.purchases import PurchasePlan, cover

HOURS_PER_DAY: Final = 24
KINDS: Final = ("on-demand", "spot", "training-plan")
"""What HyperPod takes; asked of every candidate where the goal names none."""

EC2_KINDS: Final = ("on-demand", "spot", "capacity-block")
"""The same of ParallelCluster and EKS, which run on EC2."""


@dataclass(frozen=True)
class Offer:
    """One candidate with one kind of capacity.

    Attributes
    ----------
    nodes:
        That are paid for: those that train, and spares.
    usd:
        Of the whole run; `None` where the rate is unknown, with `unknown` saying why.
    hint_usd:
        At a rate that was once offered: no price, never ranked.
    purchase:
        Whole blocks or plans, for capacity bought in advance.
    """

    candidate: Candidate
    capacity_kind: str
    nodes: int
    rate: HourlyRate | None
    usd: Quantiles | None
    unknown: str | None
    hint_usd: float | None = None
    purchase: PurchasePlan | None = None
    cautions: tuple[str, ...] = ()


def offers(
    candidate: Candidate,
    kinds: Iterable[str],
    catalog: Catalog,
    *,
    region: str,
    today: dt.date,
    spares: int = 0,
    platform: str = "hyperpod-slurm",
) -> tuple[Offer, ...]:
    """The candidate's cost with each kind of capacity, in the order of `kinds`.

    Raises
    ------
    GoalError
        A kind that there is none of.
    """
    if candidate.days is None:
        return ()
    return tuple(
        _offer(candidate, kind, catalog, region, today, candidate.nodes + spares, platform)
        for kind in kinds
    )


def _offer(
    candidate: Candidate,
    kind: str,
    catalog: Catalog,
    region: str,
    today: dt.date,
    nodes: int,
    platform: str,
) -> Offer:
    days = candidate.days
    assert days is not None
    name = candidate.hardware.instance_type
    if name is None:
        return Offer(
            candidate,
            kind,
            nodes,
            None,
            None,
            f"{candidate.hardware.accelerator} was named, not an instance type that is sold",
        )
    try:
        rate = hourly_rate(catalog, name, kind, region, platform=platform, today=today)
    except ValueError as error:
        raise GoalError(str(error), field="capacity") from None
    per_hour = float(rate.usd_per_hour) if rate.usd_per_hour is not None else None
    cautions = []
    if kind == "spot":
        cautions.append("Spot nodes are taken back at two minutes' notice; not in these days")
    if rate.stale:
        cautions.append(f"the rate is of {rate.date}: older than 90 days, or undated")
    if kind not in {"training-plan", "capacity-block"}:
        usd = days.scaled(HOURS_PER_DAY * nodes * per_hour) if per_hour is not None else None
        return Offer(
            candidate,
            kind,
            nodes,
            rate,
            usd,
            None if usd else rate.reason,
            cautions=tuple(cautions),
        )
    try:
        purchase = cover(
            nodes,
            days.p90,
            "training-plan" if kind == "training-plan" else "capacity-block",
            catalog,
        )
    except GoalError as error:
        return Offer(candidate, kind, nodes, rate, None, f"{error.message}; {error.hint}")
    paid_hours = purchase.paid_instance_days * HOURS_PER_DAY
    paid = Quantiles(*(3 * (paid_hours * per_hour,))) if per_hour is not None else None
    hint = None
    if rate.hint_usd_per_hour is not None:
        hint = paid_hours * float(rate.hint_usd_per_hour)
        cautions.append(
            f"{float(rate.hint_usd_per_hour):g} USD an hour was offered on {rate.hint_date}; AWS "
            "sets these prices anew, so it is a hint"
        )
    return Offer(
        candidate,
        kind,
        nodes,
        rate,
        paid,
        None if paid else rate.reason,
        hint,
        purchase,
        (*cautions, *purchase.cautions),
    )


def cheapest(found: Iterable[Offer], wanted_days: float) -> Offer | None:
    """The least P50 dollars among priced offers whose P50 days are in time; `None` without one.

    Offers without a price are not ranked: they are neither cheap nor dear.
    """
    priced = [
        offer
        for offer in found
        if offer.usd is not None
        and offer.candidate.days is not None
        and offer.candidate.days.p50 <= wanted_days
    ]
    return min(
        priced,
        key=lambda one: (one.usd.p50 if one.usd else 0.0, one.candidate.accelerators),
        default=None,
    )


def ranked(found: Iterable[Offer]) -> tuple[tuple[Offer, ...], tuple[Offer, ...]]:
    """(priced, cheapest first; without a price, in the order given)."""
    every = list(found)
    priced = sorted(
        (one for one in every if one.usd is not None),
        key=lambda one: one.usd.p50 if one.usd else 0.0,
    )
    return tuple(priced), tuple(one for one in every if one.usd is None)
