"""The Grafana workspace has metrics to show."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path, Problem

HERE: Path = ("observability", "grafana")


def problems(cluster: Cluster) -> Iterator[Problem]:
    if cluster.observability.grafana is not None and not cluster.observability.prometheus:
        yield Problem(
            "a Grafana workspace requires a Prometheus workspace, whose metrics it shows",
            HERE,
            hint="observability.prometheus: true",
            other_path=("observability", "prometheus"),
        )
