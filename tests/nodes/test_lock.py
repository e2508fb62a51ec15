"""One run at a time."""

from __future__ import annotations

import fcntl
from collections.abc import Callable

from tests.nodes.world import World


def test_concurrent_runs_are_serialised(world: Callable[..., World]) -> None:
    node = world("login-1")
    lock = node.root / "run/clusterwright/node.lock"
    lock.parent.mkdir(parents=True)
    with lock.open("w") as held:
        held.write("4711\n")
        held.flush()
        fcntl.flock(held, fcntl.LOCK_EX)
        run = node.run()
        assert run.code == 1
        assert "step lock failed" in run.last
        assert "another run (process 4711) has held /run/clusterwright/node.lock" in run.last
        assert run.machine.points == []
    assert node.run().code == 0


def test_killed_run_releases_its_lock(world: Callable[..., World]) -> None:
    node = world("login-1")
    assert node.run_and_be_killed(20)
    assert node.run().code == 0
