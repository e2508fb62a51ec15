"""Which job holds which GPU, from the files of Slurm's prolog."""

from __future__ import annotations

import re

from clusterwright_common.job_files import GPU_JOBS
from clusterwright_common.probe import Probe

from clusterwright_metrics.text import Metrics

ROLES = ("compute",)


def collect(probe: Probe, metrics: Metrics) -> None:
    for gpu in probe.names(GPU_JOBS):
        # `2.0` is an instance of a partitioned GPU.
        if not re.fullmatch(r"\d+(\.\d+)?", gpu):
            continue
        # A prolog of the image writes the same line again.
        for job in sorted(set((probe.read(f"{GPU_JOBS}/{gpu}") or "").split())):
            labels = {"gpu": gpu, "job_id": job}
            metrics.add("gpu_job_info", "gauge", "The job that holds the GPU.", 1.0, labels)
