"""What an acceptance run takes and costs, and what its report means."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from clusterwright.catalog import Catalog, Known
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_state.requests import Level
from clusterwright.operate.acceptance_results import GroupPlan
from clusterwright.operate.cost_now import NodeRates
from clusterwright.platforms import accelerators
from clusterwright.platforms.acceptance_checks import table

LEVELS: Final[tuple[Level, ...]] = ("quick", "standard", "full")
_CENT: Final = Decimal("0.01")


def planned_seconds(level: Level, kind: str, *, efa: bool) -> int:
    """The planned duration on one node; `kind` is nvidia, neuron or none.

    Checks that the node turns out not to need, such as those of disks that its type lacks, are
    counted: the figure is an upper limit for a healthy node.
    """
    included = LEVELS[: LEVELS.index(level) + 1]
    return sum(
        int(check["planned_seconds"])
        for check in table()["checks"]
        if check["level"] in included
        and kind in check["kinds"]
        and (efa or not check["needs_efa"])
    )


def plan(
    cluster: Cluster,
    catalog: Catalog,
    rates: NodeRates,
    level: Level,
    counts: Mapping[str, int] | None = None,
) -> tuple[GroupPlan, ...]:
    """What a level takes on each compute group.

    Parameters
    ----------
    counts:
        Nodes by group; None for those of the file.
    """
    found = []
    for group in cluster.compute:
        nodes = group.count if counts is None else counts.get(group.name, 0)
        if group.role != "compute" or not nodes:
            continue
        kind = accelerators.family(group.instance_type, catalog)
        instance = catalog.instance(group.instance_type)
        interfaces = instance.efa_interfaces if instance is not None else None
        efa = isinstance(interfaces, Known) and interfaces.value > 0
        seconds = planned_seconds(level, kind, efa=efa)
        rate = rates.rate(group.instance_type, group.capacity.kind)
        cost = None
        if rate.usd_per_hour is not None:
            hours = Decimal(seconds) / 3600
            cost = (rate.usd_per_hour * nodes * hours).quantize(_CENT, ROUND_HALF_UP)
        reason = None if cost is not None else rate.reason or "no source states the price"
        found.append(GroupPlan(group.name, group.instance_type, nodes, seconds, cost, reason))
    return tuple(found)


def lustre_figures(cluster: Cluster) -> dict[str, tuple[int, int]]:
    """Capacity in GiB and throughput in MB/s per TiB of file systems, by mount path."""
    return {
        entry.mount_path: (entry.capacity_gib, entry.throughput_mbps_per_tib)
        for entry in cluster.storage.lustre
        if entry.capacity_gib is not None and entry.throughput_mbps_per_tib is not None
    }
