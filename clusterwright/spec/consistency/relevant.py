"""No key is set that has no effect."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.spec.models.cluster import Cluster
from clusterwright.spec.problems import Problem
from clusterwright.spec.relevance import meaningless


def problems(cluster: Cluster) -> Iterator[Problem]:
    for item in meaningless(cluster):
        if item.written:
            yield Problem(item.reason, item.path, other_path=item.because)
