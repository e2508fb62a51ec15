"""Metrics can only be sent from nodes that have them, and need a port that nobody else has.

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
LEAST_INTERVAL_SECONDS = 30
"""Of a collector's `scrape_interval`."""

HERE: Path = ("observability", "metrics")


def collected(cluster: Cluster) -> bool:
    """Whether AWS's collector fills the workspace: HyperPod's add-on does it itself."""
    return cluster.uses_kubernetes and cluster.observability.prometheus and not has_addon(cluster)


def has_addon(cluster: Cluster) -> bool:
    """Whether HyperPod's observability add-on reads the nodes."""
    return any(addon.name == "observability" for addon in cluster.hyperpod.addons)


def problems(cluster: Cluster) -> Iterator[Problem]:
    if cluster.uses_kubernetes:
        yield from _of_pods(cluster)
        return
    metrics = cluster.observability.metrics
    if metrics.listen == "off":
        if cluster.observability.prometheus:
            yield Problem(
                "a workspace for metrics that no node has: metrics.listen is off",
                ("observability", "prometheus"),
                other_path=(*HERE, "listen"),
            )
        return
    if metrics.port in SLURM_PORTS:
        yield Problem(f"port {metrics.port} is Slurm's", (*HERE, "port"))


def _of_pods(cluster: Cluster) -> Iterator[Problem]:
    metrics = cluster.observability.metrics
    if collected(cluster) and metrics.interval_seconds < LEAST_INTERVAL_SECONDS:
        yield Problem(
            f"AWS's collector asks every {LEAST_INTERVAL_SECONDS} seconds at the most",
            (*HERE, "interval_seconds"),
            hint=f"interval_seconds: {LEAST_INTERVAL_SECONDS} or more",
            other_path=("observability", "prometheus"),
        )
    if metrics.image is None or has_addon(cluster):
        return
    if metrics.listen == "off":
        yield Problem(
            "an image for an exporter that is off",
            (*HERE, "image"),
            hint="leave it out: without an image no node has an exporter",
            other_path=(*HERE, "listen"),
        )
    if metrics.listen == "loopback":
        yield Problem(
            "a collector asks every node over the network: a node's loopback answers itself alone",
            (*HERE, "listen"),
            hint="listen: private",
            other_path=("platform",),
        )
    if metrics.port in NODE_PORTS:
        yield Problem(f"port {metrics.port} is the kubelet's or kube-proxy's", (*HERE, "port"))
