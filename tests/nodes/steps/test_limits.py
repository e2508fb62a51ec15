"""Locked memory on ParallelCluster's nodes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from clusterwright_node.steps.limits import FILE

from tests.nodes.world import World


@pytest.mark.parametrize("name", ["controller-1", "login-1", "workers-1"])
def test_shells_can_lock_memory_on_every_node(world: Callable[..., World], name: str) -> None:
    node = world(name, "parallelcluster")
    assert node.run().statuses()["limits"] == "applied"
    lines = (node.root / FILE.lstrip("/")).read_text().splitlines()
    assert {line.rpartition(" ")[0] for line in lines if not line.startswith("#")} == {
        "* soft memlock",
        "* hard memlock",
    }
    assert all(line.endswith(" unlimited") for line in lines if not line.startswith("#"))
    assert node.run().statuses()["limits"] == "unchanged"


def test_manual_changes_are_reverted(world: Callable[..., World]) -> None:
    node = world("login-1", "parallelcluster")
    node.run()
    (node.root / FILE.lstrip("/")).write_text("* soft memlock 64\n")
    assert node.run().statuses()["limits"] == "applied"


def test_step_is_skipped_on_hyperpod(world: Callable[..., World]) -> None:
    assert world("login-1", "managed").run().statuses()["limits"] == "skipped"
    assert world("login-1", "scripted").run().statuses()["limits"] == "skipped"
