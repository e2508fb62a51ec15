"""What the nodes that exist cost per hour."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable
from decimal import Decimal

from clusterwright.catalog import Catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_state.results import PlatformNode
from clusterwright.cost.price_book import LivePrices
from clusterwright.cost.rates import HourlyRate, hourly_rate
from clusterwright.operate.results import HourlyCost, UnpricedNodes


class NodeRates:
    """Rates of a cluster's nodes, each looked up once."""

    def __init__(
        self,
        cluster: Cluster,
        catalog: Catalog,
        *,
        today: dt.date,
        live: LivePrices | None = None,
    ) -> None:
        self._cluster = cluster
        self._catalog = catalog
        self._today = today
        self._live = live
        self._kinds = {group.name: group.capacity.kind for group in cluster.compute}
        self._rates: dict[tuple[str, str], HourlyRate] = {}

    def capacity_kind(self, group: str | None) -> str | None:
        """The kind of capacity of a group; None if the spec does not have the group."""
        return self._kinds.get(group or "")

    def rate(self, instance_type: str, kind: str) -> HourlyRate:
        """The rate of one instance, or why it is unknown."""
        key = (instance_type, kind)
        if key not in self._rates:
            self._rates[key] = hourly_rate(
                self._catalog,
                instance_type,
                kind,
                self._cluster.region,
                platform=self._cluster.platform,
                today=self._today,
                live=self._live,
            )
        return self._rates[key]

    def of_group(self, group: str | None) -> Decimal | None:
        """USD per hour of one instance of a group of the spec; None if unknown."""
        found = next((each for each in self._cluster.compute if each.name == group), None)
        if found is None:
            return None
        return self.rate(found.instance_type, found.capacity.kind).usd_per_hour


def cost_now(nodes: Iterable[PlatformNode], rates: NodeRates) -> HourlyCost:
    """The known part and the nodes without a price; nodes without an instance cost nothing.

    Prepaid capacity (training plans, Capacity Blocks) has a price only where the user states it.
    """
    counted: Counter[tuple[str, str | None]] = Counter(
        (node.instance_type, rates.capacity_kind(node.group))
        for node in nodes
        if node.instance_id is not None and node.condition != "ending"
    )
    usd: Decimal | None = None if counted else Decimal(0)
    unpriced = []
    for (instance_type, kind), count in sorted(counted.items(), key=lambda item: str(item[0])):
        if kind is None:
            reason = "its group is not in the file, so its kind of capacity is unknown"
            unpriced.append(UnpricedNodes(instance_type, "unknown", count, reason))
            continue
        rate = rates.rate(instance_type, kind)
        if rate.usd_per_hour is None:
            unpriced.append(
                UnpricedNodes(instance_type, kind, count, rate.reason or "no source states it")
            )
        else:
            usd = (usd or Decimal(0)) + rate.usd_per_hour * count
    return HourlyCost(usd, tuple(unpriced))
