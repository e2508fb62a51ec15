"""What a cluster has that alerts can watch: its exporters, groups with prices, file systems."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from clusterwright.alerts.alert import Need
from clusterwright.catalog import Catalog, Known
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.validation.metrics import collected, has_addon
from clusterwright.cost.rates import HourlyRate
from clusterwright.platforms import accelerators
from clusterwright.platforms.alerting import LARGEST_INTERVAL_SECONDS
from clusterwright.platforms.kubernetes.metrics import has_exporter
from clusterwright.platforms.traits import ULTRASERVERS

Rate = Callable[[str, str], HourlyRate]
"""The rate of an instance type (EC2's name) and a kind of capacity."""

_SILENT_SECONDS = 180
_RATE_SECONDS = 900


@dataclass(frozen=True)
class WatchedGroup:
    """A group, with the price of one node (USD per hour; None if unknown, with the reason)."""

    name: str
    role: str
    instance_type: str
    nodes: int
    spares: int
    accelerators: int
    needs: frozenset[Need]
    usd_per_hour: Decimal | None
    price_reason: str

    @property
    def price(self) -> str:
        """Such as `a node of workers costs 98.32 USD per hour`."""
        if self.usd_per_hour is None:
            return f"the price of a node of {self.name} is unknown ({self.price_reason})"
        return f"a node of {self.name} costs {self.usd_per_hour:,.2f} USD per hour"


@dataclass(frozen=True)
class Watched:
    """A cluster for which rules are written.

    `label` is the value of the label `cluster` of its samples; `file` the spec in commands;
    `capacity_end` is None where it is not known.
    """

    label: str
    file: str
    groups: tuple[WatchedGroup, ...]
    mounts: tuple[str, ...]
    interval_seconds: int
    needs: frozenset[Need]
    capacity_end: dt.datetime | None
    last_minutes: int
    """Minutes before the end of purchased capacity at which the last alert fires."""

    @property
    def silent_seconds(self) -> int:
        """How long a node may send nothing: three intervals, at least three minutes."""
        return max(_SILENT_SECONDS, 3 * self.interval_seconds)

    @property
    def rate_seconds(self) -> int:
        """A window with at least four samples."""
        return max(_RATE_SECONDS, 4 * self.interval_seconds)

    def groups_with(self, *needs: Need) -> tuple[WatchedGroup, ...]:
        """The groups that have all of it, in the order of the spec."""
        return tuple(group for group in self.groups if group.needs.issuperset(needs))


def watched(
    cluster: Cluster,
    catalog: Catalog,
    *,
    file: str,
    rate: Rate,
    capacity_end: dt.datetime | None = None,
) -> Watched:
    """What the spec's exporters provide; `rate` has the price of a type and kind of capacity."""
    has: frozenset[Need] = frozenset(_provided(cluster))
    if capacity_end is not None:
        has |= {"capacity-end"}
    groups = tuple(_group(group, cluster, catalog, has, rate) for group in cluster.compute)
    of_groups = frozenset(need for group in groups for need in group.needs)
    whole = any(group.instance_type.startswith(ULTRASERVERS) for group in groups)
    return Watched(
        label=cluster.environment,
        file=file,
        groups=groups,
        mounts=tuple(fs.mount_path for fs in cluster.storage.lustre) if "lustre" in has else (),
        interval_seconds=cluster.observability.metrics.interval_seconds,
        needs=has | of_groups,
        capacity_end=capacity_end,
        # EC2 begins to terminate instances 30 minutes before the end, UltraServers 60 minutes
        # (EC2 user guide, "Capacity Blocks for ML": how they work).
        last_minutes=70 if whole else 40,
    )


def why_not(cluster: Cluster) -> str | None:
    """Why alerts on samples do not apply to the cluster at all; None if they may."""
    metrics = cluster.observability.metrics
    if metrics.interval_seconds > LARGEST_INTERVAL_SECONDS:
        return (
            f"samples are {metrics.interval_seconds} seconds apart: with more than "
            f"{LARGEST_INTERVAL_SECONDS}, Prometheus takes a series as gone between two samples"
        )
    if cluster.uses_kubernetes and has_addon(cluster):
        return "HyperPod's observability add-on sends its own metrics, and has its own alerts"
    if cluster.uses_kubernetes and metrics.image is None and not collected(cluster):
        return "nodes have no exporter without observability.metrics.image"
    if not cluster.uses_kubernetes and metrics.listen == "off":
        return "the exporter is off (observability.metrics.listen)"
    return None


def group_pattern(groups: tuple[WatchedGroup, ...]) -> str:
    """A regular expression that matches the names of the groups."""
    return "|".join(re.escape(group.name).replace("\\-", "-") for group in groups)


def _provided(cluster: Cluster) -> Iterator[Need]:
    """Yield what does not depend on a group.

    HyperPod's add-on sends its own metrics, for which AWS has alerts: none of ours applies.
    """
    if cluster.observability.metrics.interval_seconds > LARGEST_INTERVAL_SECONDS:
        return
    if cluster.uses_kubernetes:
        if has_addon(cluster):
            return
        if has_exporter(cluster):
            yield "exporter"
        if collected(cluster):
            yield "collector"
        return
    if cluster.observability.metrics.listen == "off":
        return
    yield "exporter"
    yield "health"
    yield "slurm"
    if cluster.storage.lustre:
        yield "lustre"


def _group(
    group: ComputeGroup,
    cluster: Cluster,
    catalog: Catalog,
    has: frozenset[Need],
    rate: Rate,
) -> WatchedGroup:
    price = rate(group.instance_type, group.capacity.kind)
    return WatchedGroup(
        name=str(group.name),
        role=group.role,
        instance_type=group.instance_type,
        nodes=group.count,
        spares=group.spare_count,
        accelerators=accelerators.count(group.instance_type, catalog),
        needs=frozenset(_of_group(group, cluster, catalog)) if "exporter" in has else frozenset(),
        usd_per_hour=price.usd_per_hour,
        price_reason=price.reason or "no source states it",
    )


def _of_group(group: ComputeGroup, cluster: Cluster, catalog: Catalog) -> Iterator[Need]:
    grows = group.max_count is not None and group.max_count > group.count
    shrinks = group.min_count is not None and group.min_count < group.count
    if group.count and not grows and not (shrinks and not cluster.on_hyperpod):
        yield "fixed"
    if group.role != "compute":
        return
    family = accelerators.family(group.instance_type, catalog)
    if family != "none" and accelerators.count(group.instance_type, catalog):
        yield family
    if family == "nvidia" and cluster.uses_slurm:
        yield "dcgm"
    instance = catalog.instance(group.instance_type)
    interfaces = None if instance is None else instance.efa_interfaces
    if isinstance(interfaces, Known) and interfaces.value and group.count > 1:
        yield "efa"
