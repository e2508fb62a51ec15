"""The threads of a node's processes are not more than its CPUs."""

from __future__ import annotations

from clusterwright.jobs.rule import Fail, Job, JobRule, Results, Step
from clusterwright.jobs.values import whole


class Threads(JobRule):
    id = "CW-J069"
    severity = "warning"
    containers = True
    prevents = "processes that wait for each other's threads, and GPUs that wait for both"
    source = (
        "PyTorch documentation, torchrun: OMP_NUM_THREADS is 1 in each process by default, to "
        "avoid that the system is overloaded; OpenMP API 5.2, OMP_NUM_THREADS"
    )

    def check(self, job: Job) -> Results:
        variable = job.file.variable("OMP_NUM_THREADS")
        threads = whole(variable.value.text) if variable and not variable.value.dynamic else None
        own = job.cpus_per_node
        if variable is None or threads is None or own is None or not job.trains:
            return
        each = [_processes(job, step) for step in job.file.steps]
        most = max((number for number in each if number is not None), default=0)
        if most * threads > own:
            yield Fail(
                message=f"{most} processes with {threads} threads each: {most * threads} on the "
                f"{int(own)} CPUs of a node",
                at=variable,
                requested=most * threads,
                limit=own,
                hint=f"OMP_NUM_THREADS={max(1, int(own) // most)} at most",
            )


def _processes(job: Job, step: Step) -> int | None:
    """Processes of a step on each node; None if the file does not say."""
    tasks = job.tasks_per_node(step) if step.runner == "srun" else 1
    launched = 1
    if step.launcher is not None:
        number = step.launcher.number("nproc-per-node")
        if number is None:
            return None
        launched = number
    return tasks * launched if tasks is not None else None
