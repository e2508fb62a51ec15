"""What must hold between the values of one spec, whatever the catalogue or the account says.

Each module has a function `problems(cluster)` that yields Problem; `ALL` runs them in this order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from clusterwright.spec.consistency import (
    accounting,
    buckets,
    capacity,
    checkpoints,
    compute,
    configuration,
    existing,
    identifiers,
    images,
    lifecycle,
    lustre,
    metrics,
    not_built,
    partitions,
    ranges,
    relevant,
    repositories,
    scheduling,
    security_groups,
    users,
    zones,
)
from clusterwright.spec.models.cluster import Cluster
from clusterwright.spec.problems import Problem

ALL: tuple[Callable[[Cluster], Iterator[Problem]], ...] = (
    not_built.problems,
    relevant.problems,
    zones.problems,
    ranges.problems,
    identifiers.problems,
    compute.problems,
    capacity.problems,
    partitions.problems,
    configuration.problems,
    lustre.problems,
    repositories.problems,
    buckets.problems,
    existing.problems,
    security_groups.problems,
    checkpoints.problems,
    accounting.problems,
    scheduling.problems,
    images.problems,
    lifecycle.problems,
    metrics.problems,
    users.problems,
)
