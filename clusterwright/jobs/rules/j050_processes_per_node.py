"""Processes per node are as many as the job has accelerators."""

from __future__ import annotations

import re

from clusterwright.jobs.rule import Fail, Job, JobRule, Launcher, Results, Step

_DEVICES = re.compile(r"\+{0,2}(?:--)?trainer\.devices=(\d{1,9})")
_OWN_GPUS = ("gpus", "gpus-per-node", "gpus-per-task", "gpus-per-socket", "gres", "tres-per-task")


class ProcessesPerNode(JobRule):
    id = "CW-J050"
    severity = "error"
    prevents = "processes that end with: invalid device ordinal, or duplicate GPU detected"
    source = (
        "PyTorch documentation, torchrun: one launcher per node, --nproc-per-node processes; "
        "Lightning, SLURMEnvironment.validate_settings; NVIDIA-NeMo/Speech#5819"
    )

    def check(self, job: Job) -> Results:
        own = job.accelerators_per_node
        if job.families != {"nvidia"} or not own:
            return  # Neuron: processes are cores, of which a device has several.
        requested = job.requested_accelerators
        given = requested[2] if requested is not None and requested[2] is not None else own
        given = min(given, own)
        launchers = job.file.launchers
        for step, launcher in launchers:
            if launcher.name != "accelerate":
                yield from _processes(job, step, launcher, given)
        if len(launchers) == 1 and job.trains and job.exclusive and job.file.many_nodes:
            yield from _idle(job, *launchers[0], given)
        for step in job.file.steps:
            if step.launcher is None and step.runner == "srun":
                yield from _lightning(job, step)


def _idle(job: Job, step: Step, launcher: Launcher, given: int) -> Results:
    """The only step starts fewer processes than the node has GPUs."""
    once = step.command.certain and launcher.certain and not step.command.background
    if not once or any(name in step.options or step.may_have(name) for name in _OWN_GPUS):
        return
    tasks = job.tasks_per_node(step) if step.runner == "srun" else 1
    name, number = "nproc-per-node", launcher.number("nproc-per-node")
    if launcher.name == "accelerate":
        # Its processes are those of all machines.
        name, machines = "num-processes", launcher.nodes
        total = launcher.number(name)
        number = -(-total // machines) if total is not None and machines else None
    number = number * tasks if number is not None and tasks is not None else None
    if number is None or number >= given or job.file.variable("CUDA_VISIBLE_DEVICES"):
        return
    each = f"--{name}={launcher.number(name)}"
    yield Fail(
        message=f"{each}: {number} of the {given} GPUs of each node are used, and no other job "
        "can use the others",
        at=launcher.options[name],
        severity="warning",
        requested=number,
        limit=given,
    )


def _lightning(job: Job, step: Step) -> Results:
    """Lightning starts no processes under srun: it takes one task for each device."""
    tasks = job.tasks_per_node(step)
    certain = [word for one in step.programs if one.certain for word in one.words]
    for word in certain:
        match = _DEVICES.fullmatch(word.text)
        if match is None or tasks is None or int(match.group(1)) == tasks:
            continue
        yield Fail(
            message=f"Lightning takes one task for each device: {match.group(1)} devices, and "
            f"srun starts {tasks} per node",
            at=word,
            requested=int(match.group(1)),
            limit=tasks,
            hint=f"--ntasks-per-node={match.group(1)}",
        )


def _processes(job: Job, step: Step, launcher: Launcher, given: int) -> Results:
    word = launcher.options.get("nproc-per-node")
    number = launcher.number("nproc-per-node")
    every = word is not None and word.text in ("gpu", "auto")
    if number is not None and number > given:
        yield Fail(
            message=f"{number} processes per node, and the job has {given} GPUs on each",
            at=word,
            requested=number,
            limit=given,
        )
        return
    tasks = job.tasks_per_node(step) if step.runner == "srun" else 1
    each = given if every else number
    bound = "gpus-per-task" in step.options or job.file.option("gpus-per-task") is not None
    if tasks is None or tasks < 2 or each is None or bound:
        return
    if tasks * each > given:
        yield Fail(
            message=f"srun starts {tasks} launchers per node with {each} processes each: "
            f"{tasks * each} processes on {given} GPUs",
            at=step.options.get("ntasks-per-node") or step.options.get("ntasks") or step,
            requested=tasks * each,
            limit=given,
            hint=f"srun --ntasks-per-node=1 with {launcher.name}, or {tasks} tasks without it",
        )
