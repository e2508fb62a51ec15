"""What a spec's cluster has that dashboards can show: metrics, and prices of its nodes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from clusterwright.catalog import Catalog, Known
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.validation.metrics import collected, has_addon
from clusterwright.cluster_spec.validation.workloads import queued
from clusterwright.cost.rates import hourly_rate
from clusterwright.monitoring.metrics import metrics
from clusterwright.platforms import accelerators

_LNET = ("lustre_lnet_up", "lustre_lnet_messages_total")
_PRELOAD = ("clusterwright_preload_files_seen", "clusterwright_preload_files_loaded")


@dataclass(frozen=True)
class Facts:
    """What dashboards need to know of a cluster."""

    environment: str
    """The value of the label `cluster`."""
    uses_slurm: bool
    metrics: frozenset[str]
    """Names of the metrics that the exporters of this cluster have."""
    accelerated: tuple[str, ...]
    """Compute groups with accelerators."""
    usd_per_node_hour: Mapping[str, Decimal]
    """The price of a node by compute group; groups whose price is unknown are missing."""
    unpriced: tuple[str, ...]
    """Compute groups whose price is unknown."""
    without_nodes: str = ""
    """Why the exporter of the nodes is not scraped; empty if it is."""


def facts_of(cluster: Cluster, catalog: Catalog, *, today: dt.date) -> Facts:
    """The facts of a cluster.

    Parameters
    ----------
    today:
        The date of the prices.
    """
    compute = [group for group in cluster.compute if group.role == "compute"]
    prices = {group.name: _price(cluster, group, catalog, today) for group in compute}
    return Facts(
        environment=cluster.environment,
        uses_slurm=cluster.uses_slurm,
        metrics=frozenset(available(cluster, catalog)),
        accelerated=tuple(
            group.name
            for group in compute
            if accelerators.family(group.instance_type, catalog) != "none"
        ),
        usd_per_node_hour={name: usd for name, usd in prices.items() if usd is not None},
        unpriced=tuple(name for name, usd in prices.items() if usd is None),
        without_nodes=why_no_exporter(cluster),
    )


def why_no_exporter(cluster: Cluster) -> str:
    """Why no exporter of ours is scraped on the nodes; empty if one is."""
    metrics_of_nodes = cluster.observability.metrics
    if metrics_of_nodes.listen == "off":
        return "observability.metrics.listen is off"
    if cluster.uses_kubernetes and has_addon(cluster):
        return "HyperPod's observability add-on collects the metrics, and has its own dashboards"
    if cluster.uses_kubernetes and metrics_of_nodes.image is None:
        return "nodes have no exporter without observability.metrics.image"
    return ""


def available(cluster: Cluster, catalog: Catalog) -> set[str]:
    """The names of the metrics of the sources that the cluster has."""
    families = {accelerators.family(group.instance_type, catalog) for group in cluster.compute}
    present = set()
    if not why_no_exporter(cluster):
        present |= {"host", "scrape", "target"}
        present |= {"nvidia", "neuron"} & families
        if any(_has_efa(group, catalog) for group in cluster.compute):
            present.add("efa")
        if cluster.storage.lustre:
            present.add("lustre")
        if cluster.uses_slurm:
            # Of the controller; on AWS PCS of the login node that administers.
            present |= {"ours", "slurm", "training", "acceptance"}
            if "nvidia" in families:
                present |= {"gpu_jobs", "nccl"}
        if cluster.observability.metrics.slurm_openmetrics:
            present.add("slurmctld")
    if collected(cluster):
        present |= {"containers", "kubernetes-apiservers", "target"}
        if queued(cluster):
            present.add("kueue")
    names = {name for name, metric in metrics().items() if metric.source in present}
    if cluster.uses_kubernetes:
        # The container has no lnetctl.
        names -= set(_LNET)
    links = [link for fs in cluster.storage.lustre for link in fs.repositories]
    if not any(link.preload for link in links):
        names -= set(_PRELOAD)
    return names


def _has_efa(group: ComputeGroup, catalog: Catalog) -> bool:
    instance = catalog.instance(group.instance_type)
    if instance is None or not isinstance(instance.efa_interfaces, Known):
        return False
    return instance.efa_interfaces.value > 0


def _price(
    cluster: Cluster, group: ComputeGroup, catalog: Catalog, today: dt.date
) -> Decimal | None:
    return hourly_rate(
        catalog,
        group.instance_type,
        group.capacity.kind,
        cluster.region,
        platform=cluster.platform,
        today=today,
    ).usd_per_hour
