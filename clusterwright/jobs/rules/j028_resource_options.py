"""Options of the resources agree with each other."""

from __future__ import annotations

from typing import Final

from clusterwright.jobs import values
from clusterwright.jobs.rule import Fail, Job, JobRule, Option, Results

_EXCLUSIVE: Final = (
    ("cpus-per-gpu", "cpus-per-task"),
    ("ntasks-per-gpu", "ntasks-per-node"),
    ("ntasks-per-gpu", "gpus-per-task"),
    ("ntasks-per-gpu", "tres-per-task"),
    ("ntasks-per-gpu", "gpus-per-socket"),
    ("exclusive", "oversubscribe"),
    ("core-spec", "thread-spec"),
)
"""Options that sbatch refuses together; those of memory are CW-J018's."""
_GPUS: Final = ("gpus", "gpus-per-node", "gpus-per-task", "gpus-per-socket")


class ResourceOptions(JobRule):
    id = "CW-J028"
    severity = "error"
    prevents = (
        "a submission that sbatch refuses, or a step that srun refuses after the job started"
    )
    source = (
        "sbatch 24.11.5, tried with such options on 2026-11-30, and its messages in libslurmfull; "
        "aws/aws-parallelcluster#3452; "
        "snakemake/snakemake-executor-plugin-slurm#342 (srun with SLURM_TRES_PER_TASK)"
    )

    def check(self, job: Job) -> Results:
        for first, second in _EXCLUSIVE:
            one, other = job.file.option(first), job.file.option(second)
            if one is not None and other is not None:
                yield Fail(
                    message=f"--{first} and --{second} are mutually exclusive: sbatch refuses the "
                    "job",
                    at=other,
                    hint="leave out one of them",
                )
        yield from _step(job)
        yield from _missing(job)
        yield from _numbers(job)


def _step(job: Job) -> Results:
    """srun reads --cpus-per-task of the job as SLURM_TRES_PER_TASK."""
    tasks, cpus = job.file.option("ntasks-per-gpu"), job.file.option("cpus-per-task")
    if tasks is None or cpus is None or not any(s.runner == "srun" for s in job.file.steps):
        return
    yield Fail(
        message="srun refuses --ntasks-per-gpu beside --cpus-per-task, which it reads from the "
        "job's environment (SLURM_TRES_PER_TASK): the job starts, and its steps do not",
        at=tasks,
        hint="--ntasks-per-node instead of --ntasks-per-gpu",
    )


def _missing(job: Job) -> Results:
    """Options that need another one."""
    per_task = job.file.option("gpus-per-task", "tres-per-task")
    if (
        per_task is not None
        and (per_task.name == "gpus-per-task" or "gpu" in per_task.value)
        and job.file.option("gpus", "ntasks", "nodes") is None
    ):
        yield Fail(
            message=f"--{per_task.name} does not say how many tasks: sbatch refuses it without "
            "--ntasks, --nodes or --gpus",
            at=per_task,
            hint="--ntasks",
        )
    socket = job.file.option("gpus-per-socket")
    if socket is not None and job.file.option("sockets-per-node", "extra-node-info") is None:
        yield Fail(
            message="--gpus-per-socket requires --sockets-per-node",
            at=socket,
            hint="--gpus-per-node",
        )
    memory = job.file.option("mem-per-gpu")
    if memory is not None and not _with_gpus(job):
        yield Fail(
            message="--mem-per-gpu is stated, and the job requests no GPU",
            at=memory,
            hint="--gpus-per-node, or --mem",
        )


def _with_gpus(job: Job) -> bool:
    """Whether a job requests GPUs in any way, or in one that the file does not determine."""
    if job.file.option(*_GPUS) is not None:
        return True
    gres = [option for name in ("gres", "tres-per-task") if (option := job.file.option(name))]
    return any("gpu" in option.value or values.dynamic(option.value) for option in gres)


def _numbers(job: Job) -> Results:
    total, per_task = (_stated(job, name) for name in ("gpus", "gpus-per-task"))
    per_node = job.requested_accelerators
    if per_node is not None and "neuron" in per_node[0].value:
        return
    kinds = [one for one in (total, per_task, per_node) if one is not None]
    typed = [one for one in kinds if one[1]]
    if typed and len(typed) < len(kinds):
        yield Fail(
            message="accelerators are requested with a type and without one: sbatch refuses the "
            "mixture",
            at=next(option for option, kind, _ in kinds if not kind),
            hint="state the type in all options or in none",
        )
    if total is None:
        return
    option, _, number = total
    if not number:
        return
    if per_node is not None and per_node[2]:
        yield from _per_node(job, option, number, per_node[2])
    tasks = job.file.count("ntasks")
    if per_task is not None and per_task[2] and tasks and tasks * per_task[2] != number:
        yield Fail(
            message=f"{tasks} tasks with {per_task[2]} GPUs each are {tasks * per_task[2]}, and "
            f"--gpus is {number}",
            at=option,
            requested=number,
            limit=tasks * per_task[2],
            hint="leave out --gpus: it is the number of the whole job",
        )


def _per_node(job: Job, option: Option, total: int, each: int) -> Results:
    if total % each:
        yield Fail(
            message=f"--gpus={total} is not a multiple of {each} GPUs per node",
            at=option,
            requested=total,
            limit=each,
            hint="leave out --gpus: it is the number of the whole job",
        )
        return
    nodes = job.file.nodes
    if nodes is not None and not nodes[0] <= total // each <= nodes[1]:
        yield Fail(
            message=f"--gpus={total} with {each} per node needs {total // each} nodes, and the "
            f"job requests {nodes[0] if nodes[0] == nodes[1] else f'{nodes[0]} to {nodes[1]}'}",
            at=option,
            requested=total,
            limit=nodes[1] * each,
            hint="leave out --gpus: it is the number of the whole job",
        )


def _stated(job: Job, name: str) -> tuple[Option, str, int | None] | None:
    """An option with its type and its number, which is None if the file does not determine it."""
    option = job.file.option(name)
    if option is None or values.dynamic(option.value):
        return None
    return option, *values.gpus(option.value)
