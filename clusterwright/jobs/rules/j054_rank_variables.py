"""Each task reads its own rank: the batch script replaces no variable that differs per task."""

from __future__ import annotations

import re

from clusterwright.jobs.job import argument
from clusterwright.jobs.rule import Fail, Job, JobRule, Results, Step, Word

_OF_TASK = re.compile(r"\$\{(SLURM_(?:PROCID|NODEID|LOCALID))\}")
_RANKS = ("node-rank", "machine-rank")
_EXPORTED = ("RANK", "LOCAL_RANK", "NODE_RANK", "GROUP_RANK")
_HINT = "srun bash -c '... ${variable} ...' with single quotes, so that each task replaces it"


class RankVariables(JobRule):
    id = "CW-J054"
    severity = "error"
    prevents = "every task has rank 0, and waits for ranks that do not exist until its timeout"
    source = (
        "srun(1), output environment variables; the batch script is task 0 on node 0; "
        "huggingface/accelerate#2096; pytorch/pytorch#85604"
    )

    def check(self, job: Job) -> Results:
        steps = [step for step in job.file.steps if step.runner == "srun" and _many(job, step)]
        for step in steps:
            for word in step.program:
                found = _replaced(job, word)
                if found is not None:
                    yield from _in_step(job, step, word, found)
            yield from _constant(job, step)
        yield from _local_ranks(job)
        if not any(step.launcher is None for step in steps):
            return  # The launcher sets the ranks of its processes.
        inner = " ".join(word.text for step in steps for word in step.program)
        for name in _EXPORTED:
            assignment = job.file.variable(name)
            if assignment is None or not assignment.certain or f"{name}=" in inner:
                continue
            found = _replaced(job, assignment.value)
            if found is not None:
                yield Fail(
                    message=f"{name} is the batch script's ${found}, 0, in every task of the step",
                    at=assignment,
                    severity="warning",
                    hint=_HINT.format(variable=found),
                )


def _many(job: Job, step: Step) -> bool:
    tasks = job.tasks(step)
    return tasks is not None and tasks > 1


def _replaced(job: Job, word: Word) -> str | None:
    """The task's variable that a word has from the batch script."""
    match = _OF_TASK.search(word.text) if word.dynamic else None
    if match is None or re.search(r"\\\$\{?" + match.group(1), job.file.text):
        return None
    return match.group(1)


def _place(word: Word) -> tuple[int, int]:
    return word.line, word.column


def _constant(job: Job, step: Step) -> Results:
    """A rank that is a number, in a step of several launchers."""
    launcher = step.launcher
    if launcher is None or step.places or launcher.alone or not launcher.certain:
        return
    backend = launcher.options.get("rdzv-backend")
    for name in _RANKS:
        word = launcher.options.get(name)
        number = launcher.number(name)
        if word is None or number is None or (backend is not None and backend.text != "static"):
            continue
        yield Fail(
            message=f"--{name}={number} in all {job.tasks(step)} tasks of the step",
            at=word,
            hint=_HINT.format(variable="SLURM_NODEID"),
        )


def _local_ranks(job: Job) -> Results:
    """A local rank that the program is given, in every process of a launcher."""
    for _, launcher in job.file.launchers:
        each = launcher.number("nproc-per-node")
        word = argument(launcher.script, "--local_rank", "--local-rank")
        if word is None or not re.fullmatch(r"\d+", word.text) or each is None or each < 2:
            continue
        yield Fail(
            message=f"--local_rank {word.text} of the program is the same in all {each} processes "
            "of a node: if the program reads it, they all use one accelerator",
            at=word,
            severity="warning",
            hint="leave it out: the launcher sets LOCAL_RANK in each process",
        )


def _in_step(job: Job, step: Step, word: Word, variable: str) -> Results:
    """A launcher's rank that its rendezvous needs is an error; else the text is just the same."""
    launcher = step.launcher
    rank = None
    if launcher is not None:
        said = {n: launcher.options[n] for n in _RANKS if n in launcher.options}
        rank = next((n for n, v in said.items() if _place(v) == _place(word)), None)
        backend = launcher.options.get("rdzv-backend")
        if rank is not None and backend is not None and backend.text != "static":
            return  # It gives out the ranks itself.
    what = f"--{rank}" if rank is not None else word.text[:80]
    yield Fail(
        message=f"the batch script replaces ${variable}, once and by 0: {what} is the same in all "
        f"{job.tasks(step)} tasks",
        at=word,
        severity=None if rank is not None else "warning",
        hint=_HINT.format(variable=variable),
    )
