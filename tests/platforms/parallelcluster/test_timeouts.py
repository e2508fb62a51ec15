"""Timeouts that grow with the number of nodes that start together."""

from __future__ import annotations

import pytest

from clusterwright.platforms.parallelcluster.timeouts import (
    HEAD_NODE_SECONDS,
    most_static_nodes,
    timeouts,
)


@pytest.mark.parametrize(
    ("nodes", "bootstrap", "info"),
    [(0, 2100, 90), (50, 2100, 90), (51, 2700, 180), (200, 3300, 270), (100_000, 5100, 600)],
)
def test_each_doubling_adds_time_up_to_a_maximum(nodes: int, bootstrap: int, info: int) -> None:
    found = timeouts(nodes)
    assert found.head_node_bootstrap == HEAD_NODE_SECONDS
    assert (found.compute_node_bootstrap, found.compute_instance_info) == (bootstrap, info)


def test_the_most_nodes_within_a_time() -> None:
    assert most_static_nodes(2100) == 50
    assert most_static_nodes(3600) == 200
