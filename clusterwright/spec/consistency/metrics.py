"""Metrics can only be sent from nodes that have them, and need a port that nobody else has.

Source: Slurm, slurm.conf(5): SlurmctldPort, SlurmdPort and AccountingStoragePort are 6817 to 6819.
"""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.spec.models.cluster import Cluster
from clusterwright.spec.problems import Problem

SLURM_PORTS = range(6817, 6820)


def problems(cluster: Cluster) -> Iterator[Problem]:
    metrics = cluster.observability.metrics
    here = ("observability", "metrics")
    if metrics.listen == "off":
        if cluster.observability.prometheus:
            yield Problem(
                "a workspace for metrics that no node has: metrics.listen is off",
                ("observability", "prometheus"),
                other_path=(*here, "listen"),
            )
        return
    if metrics.port in SLURM_PORTS:
        yield Problem(f"port {metrics.port} is Slurm's", (*here, "port"))
