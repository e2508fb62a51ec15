"""What must hold between the values of one spec, whatever the catalogue or the account says.

Each module has a function `problems(cluster)` that yields Problem; `ALL` runs them in this order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from clusterwright.spec.consistency import (
    accounting,
    checkpoints,
    compute,
    existing,
    identifiers,
    lustre,
    not_built,
    partitions,
    ranges,
    users,
    zones,
)
from clusterwright.spec.models.cluster import Cluster
from clusterwright.spec.problems import Problem

ALL: tuple[Callable[[Cluster], Iterator[Problem]], ...] = (
    not_built.problems,
    zones.problems,
    ranges.problems,
    identifiers.problems,
    compute.problems,
    partitions.problems,
    lustre.problems,
    existing.problems,
    checkpoints.problems,
    accounting.problems,
    users.problems,
)
