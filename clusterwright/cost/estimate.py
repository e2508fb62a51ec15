"""The bill of a cluster: the lines of all components."""

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
    images,
    kubernetes,
    lustre,
    network,
    objects,
    observability,
    parallelcluster,
    pcs,
    support,
    volumes,
)
from clusterwright.cost.growth import growing, grown
from clusterwright.cost.line_builder import LineBuilder
from clusterwright.cost.price_book import LivePrices
from clusterwright.cost.rate_warnings import rate_warnings
from clusterwright.cost.terms import Terms, Usage
from clusterwright.cost.unused_capacity import beyond_run_usd, purchases, unused_capacity, warnings

COMPONENTS: tuple[Callable[[LineBuilder], Iterator[Line]], ...] = (
    compute.lines,
    volumes.lines,
    kubernetes.lines,
    parallelcluster.lines,
    pcs.lines,
    lustre.lines,
    home.lines,
    objects.lines,
    images.lines,
    network.lines,
    accounting.lines,
    identity.lines,
    observability.lines,
)

DEPENDENT_COMPONENTS: tuple[Callable[[LineBuilder, tuple[Line, ...]], Line], ...] = (support.line,)
"""Components that depend on the other lines."""


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
    """The cost of a cluster, from deployment to deletion.

    Parameters
    ----------
    run_hours:
        Duration of a run; the spec's `run.hours` if None.
    run_hours_from:
        Origin of the hours, for messages.
    usage:
        Quantities per month that depend on use, by `service/item` (see `line_builder.Item`).
    terms:
        The user's discounts, Savings Plans and purchases.
    live:
        Current prices of AWS's APIs; they precede the catalogue and follow the user's rates.
    """
    builder = LineBuilder(
        cluster, catalog, today, dict(usage or {}), terms or Terms(), live or LivePrices()
    )
    if run_hours is None and cluster.run is not None:
        run_hours, run_hours_from = Decimal(str(cluster.run.hours)), "run.hours"
    lines = _lines(builder)
    bought = purchases(builder)
    return Bill(
        cluster.environment,
        cluster.region,
        cluster.platform,
        run_hours,
        lines,
        prepaid=bought,
        unused=tuple(unused_capacity(builder, lines, run_hours)),
        blends=tuple(blends(builder, lines)),
        warnings=(*_stale(lines), *warnings(builder, run_hours), *rate_warnings(builder, lines)),
        paid_beyond_run_usd=sum(
            (beyond_run_usd(purchase, run_hours) for purchase in bought), Decimal(0)
        ),
        run_hours_from=run_hours_from,
        growth=_growth(builder),
    )


def _lines(builder: LineBuilder) -> tuple[Line, ...]:
    lines = tuple(line for component in COMPONENTS for line in component(builder))
    return (*lines, *(component(builder, lines) for component in DEPENDENT_COMPONENTS))


def _growth(builder: LineBuilder) -> Growth | None:
    """The total at `max_count`, without the cost of a run, whose growth is unknown."""
    cluster, groups = builder.cluster, growing(builder.cluster)
    if not groups:
        return None
    lines = _lines(dataclasses.replace(builder, cluster=grown(cluster)))
    bill = Bill(cluster.environment, cluster.region, cluster.platform, None, lines)
    return Growth(groups, bill.total, bill.scenario)


def _stale(lines: tuple[Line, ...]) -> Iterator[str]:
    stale = [line for line in lines if line.stale]
    if stale:
        components = ", ".join(dict.fromkeys(line.component for line in stale))
        prices = "1 price is" if len(stale) == 1 else f"{len(stale)} prices are"
        yield f"{prices} older than {STALE_AFTER_DAYS} days, or undated ({components})"
