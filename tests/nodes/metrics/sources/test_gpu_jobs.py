"""Tests of gpu_jobs."""

from __future__ import annotations

from clusterwright_common.job_files import GPU_JOBS
from clusterwright_metrics.sources import gpu_jobs

from tests.nodes.metrics.fake_node import Machine, at


def test_each_gpu_has_its_job(machine: Machine) -> None:
    machine.file(f"{GPU_JOBS}/0", "7\n")
    # A prolog of the image has written the line too.
    machine.file(f"{GPU_JOBS}/1", "7\n7\n")
    machine.file(f"{GPU_JOBS}/2.0", "9\n")
    machine.file(f"{GPU_JOBS}/.3.4711", "7\n")
    machine.file(f"{GPU_JOBS}/4", "")
    found = machine.samples(gpu_jobs)
    assert len(found) == 3
    for gpu, job in (("0", "7"), ("1", "7"), ("2.0", "9")):
        assert at(found, "gpu_job_info", gpu=gpu, job_id=job) == 1


def test_nothing_without_jobs(machine: Machine) -> None:
    assert machine.samples(gpu_jobs) == {}
