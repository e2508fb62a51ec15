"""NCCL Inspector: who loads it, and what the rest of the job has of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clusterwright.job_templates import inspector
from clusterwright.job_templates.slurm import fragment
from clusterwright.job_templates.template import RefusedError
from tests.job_templates.made import (
    DIGEST,
    IMAGE,
    example,
    kubernetes_cluster,
    made_cluster,
    rendered,
    shell,
)
from tests.job_templates.node import calls, command, run
from tests.platforms.kubernetes.specs import EKS

ECR = f"111122223333.dkr.ecr.us-east-1.amazonaws.com/training@{DIGEST}"
NOT_LOADED = "# NCCL Inspector is not loaded: "
PATH = "/opt/inspector.so"


@pytest.mark.parametrize("job", ["nccl-tests", "fsdp2", "vllm"])
def test_jobs_on_hyperpod_load_the_plug_in_of_its_images(job: str) -> None:
    given = {"model": "/fsx/models/llama"} if job == "vllm" else {}
    text = rendered(job, image=IMAGE, **given)
    assert f"load_inspector {inspector.HYPERPOD} " in text
    assert '$INSPECTOR_MOUNTS"' in text
    assert NOT_LOADED not in text


def test_without_hyperpod_the_path_has_to_be_stated() -> None:
    cluster = example("configs/examples/full-parallelcluster.yaml")
    text = rendered("nccl-tests", cluster)
    assert f"{NOT_LOADED}the path of its plug-in on the nodes is unknown" in text
    assert "load_inspector" not in text
    text = rendered("nccl-tests", cluster, inspector=PATH)
    assert f"load_inspector {PATH} " in text
    assert NOT_LOADED not in text


@pytest.mark.parametrize(
    ("version", "loads"),
    [("2.27", False), ("2.28.2", False), ("2.28.3", True), ("2.28", True), ("2.30.7", True)],
)
def test_nccl_of_the_spec(version: str, loads: bool) -> None:
    cluster = made_cluster(software={"nccl": version})
    text = rendered("nccl-tests", cluster)
    assert ("load_inspector" in text) is loads
    older = f"{NOT_LOADED}NCCL {version} of software.nccl is before 2.28.3."
    assert (older in text) is not loads
    # A container has an NCCL of its own.
    assert "load_inspector" in rendered("nccl-tests", cluster, image=IMAGE)


def test_a_stated_plug_in_that_nccl_cannot_load_is_refused() -> None:
    cluster = made_cluster(software={"nccl": "2.27.5"})
    with pytest.raises(RefusedError, match=r"NCCL 2\.27\.5 of the spec's software\.nccl has no"):
        rendered("nccl-tests", cluster, inspector=PATH)


@pytest.mark.parametrize(
    ("job", "changes"),
    [
        ("nccom-test", {}),
        ("hpcc", {}),
        ("evaluate-checkpoint", {}),
        ("nccl-tests", {"observability": {"metrics": {"listen": "off"}}}),
    ],
    ids=["neuron", "mpi", "one-process", "no-exporter"],
)
def test_jobs_of_which_no_figures_are_read(job: str, changes: dict[str, Any]) -> None:
    given = {"checkpoints": "/fsx/c", "base": "/fsx/b"} if job == "evaluate-checkpoint" else {}
    text = rendered(job, made_cluster(**changes), image=IMAGE, **given)
    assert "INSPECTOR" not in text
    assert NOT_LOADED not in text


def test_on_kubernetes_no_prolog_makes_the_folder() -> None:
    text = rendered("nccl-tests", kubernetes_cluster(EKS), tenant="pretraining", image=ECR)
    assert "nspector" not in text


def test_a_step_gets_the_variables_and_the_container_the_files(tmp_path: Path) -> None:
    command(tmp_path, "opt/nccl-tests/build/all_reduce_perf", "#!/bin/sh\nenv >>@@/seen\n")
    (tmp_path / "opt/inspector.so").touch()
    (tmp_path / "jobs/77").mkdir(parents=True)
    (tmp_path / "fsx").mkdir()
    (tmp_path / "fsx/image.sqsh").write_text("image")
    text = rendered(
        "nccl-tests",
        image="/fsx/image.sqsh",
        inspector=PATH,
        collectives="all_reduce",
        nodes="1",
    ).replace(inspector.FOLDER, f"{tmp_path}/jobs")
    done = run(text, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    seen = dict(line.partition("=")[::2] for line in (tmp_path / "seen").read_text().splitlines())
    assert {name: value for name, value in seen.items() if "INSPECTOR" in name} == {
        "NCCL_INSPECTOR_ENABLE": "1",
        "NCCL_INSPECTOR_PROM_DUMP": "1",
        "NCCL_INSPECTOR_DUMP_THREAD_INTERVAL_MICROSECONDS": "30000000",
        "NCCL_INSPECTOR_DUMP_DIR": f"{tmp_path}/jobs/77",
    }
    assert seen["NCCL_PROFILER_PLUGIN"] == f"{tmp_path}{PATH}"
    (step,) = calls(tmp_path)
    assert f",{PATH}:{PATH}:ro,{tmp_path}/jobs/77:{tmp_path}/jobs/77 " in step


@pytest.mark.parametrize(
    ("plugin", "folder", "reason"),
    [
        (False, True, "a.so cannot be read"),
        (True, False, "Slurm's prolog made no 77"),
    ],
)
def test_a_job_runs_without_it(tmp_path: Path, plugin: bool, folder: bool, reason: str) -> None:
    if plugin:
        (tmp_path / "a.so").touch()
    if folder:
        (tmp_path / "77").mkdir()
    done = shell(
        f'set -o errexit -o nounset\nsay() {{ echo "$*"; }}\n{fragment("inspector")}\n'
        'load_inspector a.so 77 1 || echo "<${NCCL_PROFILER_PLUGIN-}>"',
        tmp_path,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"NCCL Inspector is not loaded: {reason}\n<>\n"
