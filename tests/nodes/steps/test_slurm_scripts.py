"""Scripts around jobs on ParallelCluster: on the head node, for every node."""

from __future__ import annotations

import shutil
from collections.abc import Callable

from clusterwright_node.steps.slurm_scripts import FILES

from tests.nodes.world import World


def test_head_node_runs_the_installed_health_programs(
    world: Callable[..., World],
) -> None:
    head, worker = world("controller-1", "parallelcluster"), world("workers-1", "parallelcluster")
    assert head.run().statuses()["slurm_scripts"] == "applied"
    assert worker.run().statuses()["slurm_scripts"] == "skipped"
    for path, program in FILES.items():
        written = head.root / path.lstrip("/")
        assert written.read_text().splitlines()[-1] == f"exec {program}"
        assert written.stat().st_mode & 0o777 == 0o755
        assert (worker.root / program.lstrip("/")).exists()
        assert not (worker.root / path.lstrip("/")).exists()


def test_hyperpod_is_skipped(world: Callable[..., World]) -> None:
    for configuration in ("managed", "scripted"):
        node = world("controller-1", configuration)
        assert node.run().statuses()["slurm_scripts"] == "skipped"


def test_prolog_calls_only_installed_programs(
    world: Callable[..., World],
) -> None:
    """Every job would drain its nodes."""
    head = world("controller-1", "parallelcluster")
    assert head.run().code == 0
    head.edit("cluster.json", lambda c: c["node_steps"].update(health={"enabled": False}))
    assert head.run().statuses()["slurm_scripts"] == "applied"
    assert not any((head.root / path.lstrip("/")).exists() for path in FILES)
    assert head.run().statuses()["slurm_scripts"] == "unchanged"


def test_executable_mode_is_restored(world: Callable[..., World]) -> None:
    head = world("controller-1", "parallelcluster")
    head.run()
    path = head.root / next(iter(FILES)).lstrip("/")
    path.chmod(0o644)
    assert head.run().statuses()["slurm_scripts"] == "applied"
    assert path.stat().st_mode & 0o777 == 0o755


def test_missing_folders_are_reported(world: Callable[..., World]) -> None:
    head = world("controller-1", "parallelcluster")
    shutil.rmtree(head.root / "opt/slurm/etc/scripts")
    end = head.run().end_of("slurm_scripts")
    assert "scripts/prolog.d of ParallelCluster's slurm.conf does not exist" in end["error"]
