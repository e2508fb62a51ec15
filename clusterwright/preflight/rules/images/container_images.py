"""Container images of a spec."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path


def container_images(cluster: Cluster) -> Iterator[tuple[Path, str]]:
    """Yield every container image of the spec with its path: jobs, exporter and acceptance."""
    for index, job in enumerate(cluster.kubernetes.workloads.jobs):
        yield ("kubernetes", "workloads", "jobs", index, "image"), job.image
    exporter = cluster.observability.metrics.image
    if exporter is not None:
        yield ("observability", "metrics", "image"), exporter
    tests = cluster.acceptance.image
    if tests is not None:
        yield ("acceptance", "image"), tests
