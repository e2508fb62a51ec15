"""Metrics of nodes: exporter, port and interval.

Sources: Slurm, slurm.conf(5): SlurmctldPort, SlurmdPort and AccountingStoragePort are 6817 to
6819. Kubernetes, "Ports and Protocols" and the references of kubelet and kube-proxy: 10248 to
10250, 10256. AWS's collector: CloudWatch user guide, "Scraper configuration" (limitations; read
2026-11-21).
"""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path, Problem

SLURM_PORTS = range(6817, 6820)
NODE_PORTS = (10248, 10249, 10250, 10256)
MINIMUM_INTERVAL_SECONDS = 30
"""Minimum `scrape_interval` of a collector."""

HERE: Path = ("observability", "metrics")


def collected(cluster: Cluster) -> bool:
    """Return whether an AWS managed collector fills the workspace, not HyperPod's add-on."""
    return cluster.uses_kubernetes and cluster.observability.prometheus and not has_addon(cluster)


def has_addon(cluster: Cluster) -> bool:
    """Return whether HyperPod's observability add-on collects the metrics of nodes."""
    return any(addon.name == "observability" for addon in cluster.hyperpod.addons)


def problems(cluster: Cluster) -> Iterator[Problem]:
    if cluster.uses_kubernetes:
        yield from _kubernetes(cluster)
        return
    metrics = cluster.observability.metrics
    if metrics.listen == "off":
        if cluster.observability.prometheus:
            yield Problem(
                "a workspace requires metrics of nodes, and metrics.listen is off",
                ("observability", "prometheus"),
                other_path=(*HERE, "listen"),
            )
        return
    managed = cluster.on_hyperpod and cluster.slurm.configuration == "managed"
    if metrics.slurm_openmetrics and managed:
        yield Problem(
            "HyperPod writes slurm.conf in the managed configuration, without the setting",
            (*HERE, "slurm_openmetrics"),
            hint="slurm.configuration: scripted",
            other_path=("slurm", "configuration"),
        )
    if metrics.port in SLURM_PORTS:
        yield Problem(f"port {metrics.port} is used by Slurm", (*HERE, "port"))


def _kubernetes(cluster: Cluster) -> Iterator[Problem]:
    metrics = cluster.observability.metrics
    if collected(cluster) and metrics.interval_seconds < MINIMUM_INTERVAL_SECONDS:
        yield Problem(
            "the AWS managed collector supports intervals of at least "
            f"{MINIMUM_INTERVAL_SECONDS} seconds",
            (*HERE, "interval_seconds"),
            hint=f"interval_seconds: {MINIMUM_INTERVAL_SECONDS} or more",
            other_path=("observability", "prometheus"),
        )
    if metrics.image is None or has_addon(cluster):
        return
    if metrics.listen == "off":
        yield Problem(
            "image has no effect: the exporter is off",
            (*HERE, "image"),
            hint="omit it: without an image nodes have no exporter",
            other_path=(*HERE, "listen"),
        )
    if metrics.listen == "loopback":
        yield Problem(
            "a collector scrapes nodes over the network and cannot reach the loopback interface",
            (*HERE, "listen"),
            hint="listen: private",
            other_path=("platform",),
        )
    if metrics.port in NODE_PORTS:
        yield Problem(f"port {metrics.port} is used by the kubelet or kube-proxy", (*HERE, "port"))
