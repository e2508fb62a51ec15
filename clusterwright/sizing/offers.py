"""The cost of a candidate by kind of capacity; candidates with unknown prices are listed apart.

Compute only: nodes and spares x rate x hours. A price of another region, or an EC2 price times a
factor, is never substituted. Capacity bought in advance is paid in whole blocks or plans
(`purchases.cover`) at the P90 of the days, because it cannot be returned. Where only a past offer
is known, the amount is a hint, not a price.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from clusterwright.catalog import Catalog
from clusterwright.cost.rates import HourlyRate, hourly_rate
from clusterwright.platforms.registry import DEFAULT
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.plan_types import Candidate, QuantileName, Quantiles
from clusterwright.sizing.purchases import PurchasePlan, cover

HOURS_PER_DAY: Final = 24
KINDS: Final = ("on-demand", "spot", "training-plan")
"""Kinds of capacity on HyperPod, priced for every candidate if the goal names none."""

EC2_KINDS: Final = ("on-demand", "spot", "capacity-block")
"""The same for platforms on EC2: ParallelCluster, EKS and PCS."""


@dataclass(frozen=True)
class Offer:
    """One candidate with one kind of capacity.

    Attributes
    ----------
    nodes:
        Nodes that are paid for: training nodes and spares.
    usd:
        Of the whole run; `None` if the rate is unknown, with the reason in `unknown`.
    hint_usd:
        At a rate of a past offer: not a price, and not ranked.
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
    platform: str = DEFAULT,
) -> tuple[Offer, ...]:
    """The candidate's cost with each kind of capacity, in the order of `kinds`.

    Raises
    ------
    GoalError
        An unknown kind of capacity.
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
            f"{candidate.hardware.accelerator} is not an instance type, so it has no price",
        )
    try:
        rate = hourly_rate(catalog, name, kind, region, platform=platform, today=today)
    except ValueError as error:
        raise GoalError(str(error), field="capacity") from None
    per_hour = float(rate.usd_per_hour) if rate.usd_per_hour is not None else None
    cautions = []
    if kind == "spot":
        cautions.append(
            "Spot nodes are interrupted with two minutes' notice, which the days do not include"
        )
    if rate.stale:
        cautions.append(f"the rate is dated {rate.date}: older than 90 days, or undated")
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
            "changes these prices, so this is a hint"
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


def cheapest(found: Iterable[Offer], days_max: float, at: QuantileName = "p50") -> Offer | None:
    """The priced offer in time (at a quantile) with the lowest P50 dollars; `None` without one."""
    priced = [
        offer
        for offer in found
        if offer.usd is not None
        and offer.candidate.days is not None
        and offer.candidate.days.at(at) <= days_max
    ]
    return min(
        priced,
        key=lambda offer: (offer.usd.p50 if offer.usd else 0.0, offer.candidate.accelerators),
        default=None,
    )


def ranked(found: Iterable[Offer]) -> tuple[tuple[Offer, ...], tuple[Offer, ...]]:
    """Priced offers, cheapest first, and offers without a price in their order."""
    every = list(found)
    priced = sorted(
        (offer for offer in every if offer.usd is not None),
        key=lambda offer: offer.usd.p50 if offer.usd else 0.0,
    )
    return tuple(priced), tuple(offer for offer in every if offer.usd is None)
