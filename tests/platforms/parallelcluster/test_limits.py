"""Limits of ParallelCluster."""

from __future__ import annotations

from clusterwright.platforms.parallelcluster import limits


def test_memory_of_the_head_node_is_sufficient() -> None:
    assert limits.head_node_memory_gib(10) == 1.0
    assert limits.head_node_memory_gib(384) < 16
    assert limits.head_node_memory_gib(385) == 16
