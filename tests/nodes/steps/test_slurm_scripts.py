"""Scripts around jobs on ParallelCluster: on the head node, for every node."""

from __future__ import annotations

import shutil
from collections.abc import Callable

from clusterwright_node.steps.slurm_scripts import FILES

from tests.nodes.world import World


def test_the_head_node_names_what_health_installs_on_compute_nodes(
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


def test_it_leaves_hyperpod_alone(world: Callable[..., World]) -> None:
    for configuration in ("managed", "scripted"):
        node = world("controller-1", configuration)
        assert node.run().statuses()["slurm_scripts"] == "skipped"


def test_no_prolog_may_ask_for_a_program_that_is_not_installed(
    world: Callable[..., World],
) -> None:
    """Every job would drain its nodes."""
    head = world("controller-1", "parallelcluster")
    assert head.run().code == 0
    head.edit("cluster.json", lambda c: c["node_steps"].update(health={"enabled": False}))
    assert head.run().statuses()["slurm_scripts"] == "applied"
    assert not any((head.root / path.lstrip("/")).exists() for path in FILES)
    assert head.run().statuses()["slurm_scripts"] == "unchanged"


def test_a_file_that_may_not_be_run_is_put_right(world: Callable[..., World]) -> None:
    head = world("controller-1", "parallelcluster")
    head.run()
    path = head.root / next(iter(FILES)).lstrip("/")
    path.chmod(0o644)
    assert head.run().statuses()["slurm_scripts"] == "applied"
    assert path.stat().st_mode & 0o777 == 0o755


def test_folders_that_are_not_there_are_said(world: Callable[..., World]) -> None:
    head = world("controller-1", "parallelcluster")
    shutil.rmtree(head.root / "opt/slurm/etc/scripts")
    end = head.run().end_of("slurm_scripts")
    assert "no /opt/slurm/etc/scripts/prolog.d" in end["error"]
