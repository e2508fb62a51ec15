"""Write and remove the files that tell which job holds which GPU of the node.

Source of the variables: Slurm, "Prolog and Epilog Guide": both programs have SLURM_JOB_ID,
SLURM_JOB_UID, SLURM_JOB_GID, and SLURM_JOB_GPUS with the indices of the job's GPUs on the node.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from clusterwright_common.job_files import GPU_JOBS, INSPECTOR
from clusterwright_common.probe import Probe


def write(probe: Probe, environment: Mapping[str, str]) -> None:
    """Before a job. Raises OSError."""
    job = _job(environment)
    if job is None:
        return
    for path in _gpu_files(probe, environment):
        path.parent.mkdir(parents=True, exist_ok=True)
        # Whole GPUs are of one job: what another line says is of a job whose epilog did not run.
        fresh = path.with_name(f".{path.name}.{os.getpid()}")
        fresh.write_text(f"{job}\n", encoding="ascii")
        fresh.replace(path)
    folder = probe.path(f"{INSPECTOR}/{job}")
    folder.mkdir(parents=True, exist_ok=True)
    # The exporter has no capability to pass over modes.
    folder.chmod(0o755)
    os.chown(folder, int(environment["SLURM_JOB_UID"]), int(environment["SLURM_JOB_GID"]))


def remove(probe: Probe, environment: Mapping[str, str]) -> None:
    """After a job. Raises OSError."""
    job = _job(environment)
    if job is None:
        return
    for path in _gpu_files(probe, environment):
        # The GPU may have its next job already.
        if (probe.read(f"{GPU_JOBS}/{path.name}") or "").split() == [job]:
            path.unlink()
    folder = probe.path(f"{INSPECTOR}/{job}")
    if folder.exists():
        shutil.rmtree(folder)


def _job(environment: Mapping[str, str]) -> str | None:
    """The job's id; None if Slurm does not run this for a job."""
    job = environment.get("SLURM_JOB_ID", "")
    return job if re.fullmatch("[0-9]+", job) else None


def _gpu_files(probe: Probe, environment: Mapping[str, str]) -> list[Path]:
    found = environment.get("SLURM_JOB_GPUS", "")
    indices = [word for word in found.split(",") if re.fullmatch("[0-9]+", word)]
    return [probe.path(f"{GPU_JOBS}/{index}") for index in indices]
