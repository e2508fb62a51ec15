"""Slurm's prolog and epilog write and remove the files that tell which job a GPU is of."""

from __future__ import annotations

import os

import pytest
from clusterwright_common.job_files import GPU_JOBS, INSPECTOR

from tests.nodes.health.fake_node import Machine


@pytest.fixture(autouse=True)
def job(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "SLURM_JOB_ID": "7",
        "SLURM_JOB_UID": str(os.getuid()),
        "SLURM_JOB_GID": str(os.getgid()),
        "SLURM_JOB_GPUS": "0,3",
    }.items():
        monkeypatch.setenv(name, value)


def _gpus(machine: Machine) -> dict[str, str]:
    folder = machine.root / GPU_JOBS.lstrip("/")
    return {path.name: path.read_text() for path in folder.iterdir()} if folder.exists() else {}


def _jobs(machine: Machine) -> list[str]:
    folder = machine.root / INSPECTOR.lstrip("/")
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_prolog_writes_and_epilog_removes(machine: Machine) -> None:
    assert machine.look("prolog") == 0
    assert _gpus(machine) == {"0": "7\n", "3": "7\n"}
    assert _jobs(machine) == ["7"]
    folder = machine.root / f"{INSPECTOR}/7".lstrip("/")
    assert folder.stat().st_mode & 0o777 == 0o755
    (folder / "nccl_inspector_metrics_GPU-1.prom").write_text("x 1\n")
    assert machine.look("epilog") == 0
    assert (_gpus(machine), _jobs(machine)) == ({}, [])
    assert machine.events == []


def test_epilog_leaves_the_gpu_of_the_next_job(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.look("prolog")
    monkeypatch.setenv("SLURM_JOB_ID", "8")
    monkeypatch.setenv("SLURM_JOB_GPUS", "3")
    machine.look("prolog")
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    monkeypatch.setenv("SLURM_JOB_GPUS", "0,3")
    machine.look("epilog")
    assert (_gpus(machine), _jobs(machine)) == ({"3": "8\n"}, ["8"])


def test_job_without_gpus_has_its_folder(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SLURM_JOB_GPUS")
    machine.look("prolog")
    assert (_gpus(machine), _jobs(machine)) == ({}, ["7"])


def test_node_with_a_finding_starts_no_job(machine: Machine) -> None:
    machine.efa(1, "1: DOWN")
    assert machine.look("prolog") == 1
    assert (_gpus(machine), _jobs(machine)) == ({}, [])


def test_nothing_outside_a_job(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLURM_JOB_ID")
    for mode in ("prolog", "epilog", "periodic"):
        assert machine.look(mode) == 0
    assert (_gpus(machine), _jobs(machine)) == ({}, [])
    assert machine.events == []


def test_a_job_starts_although_its_files_cannot_be_written(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.write(GPU_JOBS, "not a folder\n")
    assert machine.look("prolog") == 0
    (event,) = machine.events
    assert event["event"] == "job files"
    monkeypatch.delenv("SLURM_JOB_UID")
    monkeypatch.delenv("SLURM_JOB_GPUS")
    assert machine.look("prolog") == 0
    assert [each["event"] for each in machine.events] == ["job files"] * 2
