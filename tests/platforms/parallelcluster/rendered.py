"""Configurations of ParallelCluster, rendered from small specs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.models import Cluster
from clusterwright.platforms.loading import load_cluster
from clusterwright.platforms.parallelcluster.document import render
from clusterwright.platforms.parallelcluster.supplied import placeholders
from tests.support.parallelcluster_specs import SMALL
from tests.support.specs import changed, write

BLOCK = {"kind": "capacity-block", "id": "cr-0123456789abcdef0"}


RESERVATION = {"kind": "reservation", "id": "cr-0123456789abcdef1"}


def loaded(folder: Path, data: dict[str, Any]) -> Cluster:
    return load_cluster(write(folder / "spec.yaml", data)).cluster


def rendered(folder: Path, data: dict[str, Any] = SMALL, **changes: Any) -> dict[str, Any]:
    paths = {path.replace("__", "."): value for path, value in changes.items()}
    cluster = loaded(folder, changed(paths, data))
    return render(cluster, load_catalog(), placeholders(cluster))


def queue_of(configuration: dict[str, Any], number: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = configuration["Scheduling"]["SlurmQueues"][number]
    return found


def resource_of(configuration: dict[str, Any], number: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = queue_of(configuration, number)["ComputeResources"][0]
    return found
