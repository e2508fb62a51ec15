"""Scripts leave it to Slurm and the launcher which accelerators a process sees."""

from __future__ import annotations

import re

from clusterwright.jobs.rule import Fail, Job, JobRule, Results

_VARIABLES = ("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES")
_LIST = re.compile(r"\d+(?:,\d+)*")


class VisibleDevices(JobRule):
    id = "CW-J025"
    severity = "warning"
    prevents = "CUDA error: invalid device ordinal, or accelerators that stay idle"
    source = (
        "sbatch(1), --gpus-per-node: Slurm sets CUDA_VISIBLE_DEVICES to the devices of the job; "
        "CUDA programming guide, CUDA_VISIBLE_DEVICES; deepspeedai/DeepSpeed#1331"
    )

    def check(self, job: Job) -> Results:
        own = job.accelerators_per_node
        if not own or job.families != {"nvidia"}:
            return
        requested = job.requested_accelerators
        given = requested[2] if requested is not None and requested[2] is not None else own
        for assignment in job.file.environment:
            text = assignment.value.text.strip()
            if assignment.name not in _VARIABLES or not _LIST.fullmatch(text):
                continue
            devices = [int(part) for part in text.split(",")]
            wanted = _processes(job)
            if max(devices) >= own:
                message = f"device {max(devices)} of nodes with {own}, counted from 0"
            elif wanted is not None and wanted > len(devices):
                message = f"{len(devices)} devices for {wanted} processes per node"
            elif job.exclusive and job.whole_nodes and len(devices) < min(given, own):
                message = f"{len(devices)} of the {min(given, own)} accelerators that the job has"
            else:
                continue
            yield Fail(
                message=f"{assignment.name}={text}: {message}",
                at=assignment,
                hint="remove it: Slurm sets it for each job, the launcher each process's device",
            )


def _processes(job: Job) -> int | None:
    """The most processes per node that a launcher, or srun alone, starts."""
    found = [launcher.number("nproc-per-node") for _, launcher in job.file.launchers]
    if not job.file.launchers and job.trains:
        found = [job.tasks_per_node(step) for step in job.file.steps if step.runner == "srun"]
    known = [number for number in found if number is not None]
    return max(known) if known else None
