"""The bill of a cluster: every component's lines, in one order."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal

from clusterwright.catalog import Catalog
from clusterwright.cluster_spec.models import Cluster
from clusterwright.cost.bill import STALE_AFTER_DAYS, Bill, Growth, Line
from clusterwright.cost.blends import blends
from clusterwright.cost.components import (
    accounting,
    compute,
    home,
    identity,
    kubernetes,
    lustre,
    network,
    objects,
    observability,
    parallelcluster,
    support,
    volumes,
)
from clusterwright.cost.growth import growing, grown
from clusterwright.cost.line_builder import Pricing
from clusterwright.cost.price_book import LivePrices
from clusterwright.cost.rate_warnings import rate_warnings
from clusterwright.cost.terms import Terms, Usage
from clusterwright.cost.unused_capacity import beyond_run_usd, purchases, unused, warnings

COMPONENTS: tuple[Callable[[Pricing], Iterator[Line]], ...] = (
    compute.lines,
    volumes.lines,
    kubernetes.lines,
    parallelcluster.lines,
    lustre.lines,
    home.lines,
    objects.lines,
    network.lines,
    accounting.lines,
    identity.lines,
    observability.lines,
)

ON_THE_SUM: tuple[Callable[[Pricing, tuple[Line, ...]], Line], ...] = (support.line,)
"""What depends on the other lines, and so comes after them."""


def estimate(
    cluster: Cluster,
    catalog: Catalog,
    *,
    today: dt.date,
    run_hours: Decimal | None = None,
    run_hours_from: str | None = None,
    usage: Mapping[str, Decimal | Usage] | Mapping[str, Decimal] | None = None,
    terms: Terms | None = None,
    live: LivePrices | None = None,
) -> Bill:
    """What the cluster costs by itself, as long as it stands.

    Parameters
    ----------
    run_hours:
        How long a run holds the cluster; the spec's `run.hours` if None.
    run_hours_from:
        Where they were read, for the reader.
    usage:
        Quantities per month that depend on use, by `service/item` (see `cost.pricing.Item`).
    terms:
        The user's discounts, Savings Plans and purchases.
    live:
        What AWS's APIs said just now: used before the catalogue, after the user's own rates.
    """
    pricing = Pricing(
        cluster, catalog, today, dict(usage or {}), terms or Terms(), live or LivePrices()
    )
    if run_hours is None and cluster.run is not None:
        run_hours, run_hours_from = Decimal(str(cluster.run.hours)), "run.hours"
    lines = _lines(pricing)
    bought = purchases(pricing)
    return Bill(
        cluster.environment,
        cluster.region,
        cluster.platform,
        run_hours,
        lines,
        prepaid=bought,
        unused=tuple(unused(pricing, lines, run_hours)),
        blends=tuple(blends(pricing, lines)),
        warnings=(*_stale(lines), *warnings(pricing, run_hours), *rate_warnings(pricing, lines)),
        paid_beyond_run_usd=sum((beyond_run_usd(one, run_hours) for one in bought), Decimal(0)),
        run_hours_from=run_hours_from,
        growth=_growth(pricing),
    )


def _lines(pricing: Pricing) -> tuple[Line, ...]:
    lines = tuple(line for component in COMPONENTS for line in component(pricing))
    return (*lines, *(component(pricing, lines) for component in ON_THE_SUM))


def _growth(pricing: Pricing) -> Growth | None:
    """Of a run nobody knows how long it is grown: the hours of the run are left out."""
    cluster, groups = pricing.cluster, growing(pricing.cluster)
    if not groups:
        return None
    lines = _lines(dataclasses.replace(pricing, cluster=grown(cluster)))
    bill = Bill(cluster.environment, cluster.region, cluster.platform, None, lines)
    return Growth(groups, bill.total)


def _stale(lines: tuple[Line, ...]) -> Iterator[str]:
    stale = [line for line in lines if line.stale]
    if stale:
        components = ", ".join(dict.fromkeys(line.component for line in stale))
        prices = "1 price is" if len(stale) == 1 else f"{len(stale)} prices are"
        yield f"{prices} older than {STALE_AFTER_DAYS} days, or of no date ({components})"
