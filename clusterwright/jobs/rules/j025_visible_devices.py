"""Scripts leave it to Slurm and the launcher which accelerators a process sees."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from clusterwright.jobs.rule import (
    Assignment,
    Command,
    Fail,
    Job,
    JobRule,
    Results,
    Step,
    Word,
)
from clusterwright.sizing.quantities import counted

_VARIABLES = ("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES")
_LIST = re.compile(r"\d+(?:,\d+)*")
_LAST = (math.inf, math.inf)


class VisibleDevices(JobRule):
    id = "CW-J025"
    severity = "warning"
    containers = True
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
        stated = [a for a in job.file.environment if a.name in _VARIABLES]
        for assignment in stated:
            text = assignment.value.text.strip()
            if not _LIST.fullmatch(text):
                continue
            devices = [int(part) for part in text.split(",")]
            wanted = _processes(job, _steps(job, assignment, stated))
            if max(devices) >= own:
                message = f"device {max(devices)} of nodes with {own}, counted from 0"
            elif wanted is not None and wanted > len(devices):
                message = f"{counted(len(devices), 'device')} for {wanted} processes per node"
            elif (
                job.exclusive
                and job.whole_nodes
                and len(devices) < min(given, own)
                and _are_all(job, assignment, stated)
            ):
                message = f"{len(devices)} of the {min(given, own)} accelerators that the job has"
            else:
                continue
            yield Fail(
                message=f"{assignment.name}={text}: {message}",
                at=assignment,
                hint="remove it: Slurm sets it for each job, the launcher each process's device",
            )


def _steps(job: Job, assignment: Assignment, stated: Sequence[Assignment]) -> list[Step]:
    """The steps that see an assignment: its own command, or those up to the next one."""
    if assignment.for_one:
        return [step for step in job.file.steps if _is_of(step.command, assignment)]
    others = [a for a in stated if a.name == assignment.name and a is not assignment]
    start = _place(assignment.value)
    ends = [_place(a.value) for a in others if not a.for_one and _place(a.value) > start]
    return [
        step
        for step in job.file.steps
        if start < _place(step.word) < min(ends, default=_LAST)
        and not any(a.for_one and _is_of(step.command, a) for a in others)
    ]


def _are_all(job: Job, assignment: Assignment, stated: Sequence[Assignment]) -> bool:
    """Whether the job's programs have no other devices than those of an assignment."""
    if len(stated) > 1:
        return False
    programs = [step.command for step in job.file.steps]
    programs += [c for c in job.file.script.commands if c.name.startswith("python")]
    return not assignment.for_one or all(_is_of(one, assignment) for one in programs)


def _is_of(command: Command, assignment: Assignment) -> bool:
    """Whether an assignment stands before a command, or among its words."""
    line, column = _place(assignment.value)
    words = (*command.words, *(own.value for own in command.environment))
    return any(w.line == line and w.column <= column < w.column + max(1, w.length) for w in words)


def _place(word: Word) -> tuple[float, float]:
    return word.line, word.column


def _processes(job: Job, steps: Sequence[Step]) -> int | None:
    """The most processes per node that launchers of steps, or srun alone, start."""
    found = [step.launcher.number("nproc-per-node") for step in steps if step.launcher is not None]
    if not job.file.launchers and job.trains:
        found = [job.tasks_per_node(step) for step in steps if step.runner == "srun"]
    known = [number for number in found if number is not None]
    return max(known) if known else None
