"""Timeouts that depend on the number of static nodes."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.platforms.parallelcluster import limits
from clusterwright.platforms.parallelcluster.timeouts import (
    HEAD_NODE_SECONDS,
    Timeouts,
    most_static_nodes,
    timeouts,
)
from tests.platforms.parallelcluster.rendered import rendered


@pytest.mark.parametrize(
    ("nodes", "bootstrap", "info"),
    [(0, 2100, 90), (50, 2100, 90), (51, 2700, 180), (200, 3300, 270), (100_000, 5100, 600)],
)
def test_each_doubling_adds_time_up_to_a_maximum(nodes: int, bootstrap: int, info: int) -> None:
    found = timeouts(nodes)
    assert found.head_node_bootstrap == HEAD_NODE_SECONDS
    assert (found.compute_node_bootstrap, found.compute_instance_info) == (bootstrap, info)


def test_maximum_node_count_within_a_timeout() -> None:
    assert most_static_nodes(2100) == 50
    assert most_static_nodes(3600) == 200


def test_timeouts_depend_on_the_fleet_size(tmp_path: Path) -> None:
    assert timeouts(0) == timeouts(50) == Timeouts(7200, 2100, 90)
    assert timeouts(51) == timeouts(100) == Timeouts(7200, 2700, 180)
    assert timeouts(1600) == Timeouts(7200, 5100, 540)
    assert timeouts(100_000) == Timeouts(7200, 5100, 600)
    found = rendered(tmp_path, compute__2__count=200)["DevSettings"]["Timeouts"]
    assert found["ComputeNodeBootstrapTimeout"] == 3300
    assert found["ComputeInstanceInfoTimeout"] == 270


@pytest.mark.parametrize("nodes", [1, 50, 51, 500, 5000])
def test_head_node_timeout_exceeds_node_timeouts(nodes: int) -> None:
    found = timeouts(nodes)
    assert found.head_node_bootstrap >= limits.BOOTSTRAP_SECONDS + found.compute_node_bootstrap
