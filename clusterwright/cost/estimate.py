"""The bill of a cluster: every component's lines, in one order."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal

from clusterwright.catalog import Catalog
from clusterwright.cost.bill import Bill, Line
from clusterwright.cost.components import (
    accounting,
    compute,
    home,
    identity,
    lustre,
    network,
    objects,
    observability,
    volumes,
)
from clusterwright.cost.pricing import Pricing
from clusterwright.spec.models import Cluster

COMPONENTS: tuple[Callable[[Pricing], Iterator[Line]], ...] = (
    compute.lines,
    volumes.lines,
    lustre.lines,
    home.lines,
    objects.lines,
    network.lines,
    accounting.lines,
    identity.lines,
    observability.lines,
)


def estimate(
    cluster: Cluster,
    catalog: Catalog,
    *,
    today: dt.date,
    run_hours: Decimal | None = None,
    usage: Mapping[str, Decimal] | None = None,
) -> Bill:
    """What the cluster costs by itself, as long as it stands.

    Parameters
    ----------
    run_hours:
        How long a run holds the cluster; the spec's `run.hours` if None.
    usage:
        Quantities per month that depend on use, by `service/item` (see `cost.pricing.Item`).
    """
    pricing = Pricing(cluster, catalog, today, usage or {})
    if run_hours is None and cluster.run is not None:
        run_hours = Decimal(str(cluster.run.hours))
    lines = tuple(line for component in COMPONENTS for line in component(pricing))
    return Bill(cluster.environment, cluster.region, cluster.platform, run_hours, lines)
