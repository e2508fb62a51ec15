"""The step that writes the rendered job files."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from clusterwright_node.job_files import FOLDER

from tests.nodes.world import World

JOBS = {"README": "Job files\n", "nccl-tests.sbatch": "#!/bin/bash\n#SBATCH --nodes=4\n"}


def deployed(node: World, jobs: object) -> World:
    (node.folder / "inputs/jobs.json").write_text(json.dumps(jobs))
    return node


@pytest.mark.parametrize("configuration", ["managed", "scripted", "parallelcluster"])
@pytest.mark.parametrize("name", ["controller-1", "login-1"])
def test_users_find_the_files_and_are_told(
    world: Callable[..., World], name: str, configuration: str
) -> None:
    node = deployed(world(name, configuration), JOBS)
    assert node.run().statuses()["job_files"] == "applied"
    folder = node.root / FOLDER.lstrip("/")
    assert {path.name: path.read_text() for path in folder.iterdir()} == JOBS
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o644}
    motd = (node.root / "etc/motd.d/50-clusterwright").read_text()
    assert f"jobs         {FOLDER} (files for sbatch, see README there)\n" in motd
    assert node.run().statuses()["job_files"] == "unchanged"


def test_files_of_an_earlier_deployment_are_replaced(world: Callable[..., World]) -> None:
    node = deployed(world("login-1"), JOBS)
    node.run()
    changed = {"README": "Job files\n", "fio.sbatch": "#!/bin/bash\n"}
    assert deployed(node, changed).run().statuses()["job_files"] == "applied"
    folder = node.root / FOLDER.lstrip("/")
    assert {path.name: path.read_text() for path in folder.iterdir()} == changed


def test_compute_nodes_and_deployments_without_files(world: Callable[..., World]) -> None:
    assert deployed(world("workers-1"), JOBS).run().statuses()["job_files"] == "skipped"
    node = world("login-1")
    assert node.run().statuses()["job_files"] == "skipped"
    assert "jobs  " not in (node.root / "etc/motd.d/50-clusterwright").read_text()


@pytest.mark.parametrize("jobs", [[], {"../passwd": "x"}, {"a.sbatch": 1}, {".hidden": ""}])
def test_damaged_files_are_refused(world: Callable[..., World], jobs: object) -> None:
    node = deployed(world("login-1"), jobs)
    run = node.run()
    assert run.code == 1
    assert run.statuses()["job_files"] == "failed"
    assert not (node.root / FOLDER.lstrip("/")).exists()
