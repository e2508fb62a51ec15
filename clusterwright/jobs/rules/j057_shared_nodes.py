"""Steps at the same time on the same node share it."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.jobs.rule import Command, Fail, Job, JobRule, Results, Step

_SHARES = ("overlap", "exact", "cpus-per-task", "cpus-per-gpu", "exclusive")
_VARIABLES = ("SLURM_OVERLAP", "SLURM_EXACT", "SRUN_CPUS_PER_TASK")
"""The same options, for all steps."""
_CHOOSES = ("relative", "exclude", "nodefile")
_ENDS = frozenset({"wait", "kill", "fg", "scancel"})


class SharedNodes(JobRule):
    id = "CW-J057"
    severity = "warning"
    prevents = "a step that waits for ever: step creation temporarily disabled, retrying"
    source = (
        "srun(1): without --exact a step has all CPUs of its nodes, and without --overlap no "
        "other has them meanwhile"
    )

    def check(self, job: Job) -> Results:
        if any(job.file.variable(name) is not None for name in _VARIABLES):
            return
        for before, step in _together(job):
            yield Fail(
                message=f"the step of line {before.word.line} has all CPUs of its node: this "
                "one waits until that ends",
                at=step,
                hint="srun --overlap",
            )
            return


def _together(job: Job) -> Iterator[tuple[Step, Step]]:
    """Steps that need a node which an earlier one in the background has for itself."""
    steps = {id(step.command): step for step in job.file.steps if step.runner == "srun"}
    having: dict[tuple[str, str | None], Step] = {}
    """By component of a heterogeneous job, and by node; None is any node."""
    for command in job.file.script.commands:
        step = steps.get(id(command))
        if step is None:
            if _ends_steps(command):
                having.clear()
            continue
        if _shares(step):
            continue
        part, node = _value(step, "het-group") or "0", _value(step, "nodelist")
        before = having.get((part, node)) if _needs(step) else None
        if before is not None and _apart(before, step):
            yield before, step
        if command.background and command.certain:
            having.setdefault((part, node), step)
            having.setdefault((part, None), step)


def _ends_steps(command: Command) -> bool:
    """Whether a command waits for steps, or ends them."""
    pid = any(word.text.startswith("--pid") for word in command.words)
    return command.name in _ENDS or (command.name == "tail" and pid)


def _shares(step: Step) -> bool:
    """Whether a step shares its node, or is one of another job."""
    names = (*_SHARES, "jobid")
    return any(name in step.options for name in names) or step.may_have(*names)


def _value(step: Step, name: str) -> str | None:
    return step.options[name].value if name in step.options else None


def _needs(step: Step) -> bool:
    """Whether a step surely needs the node that it names, or all nodes."""
    if any(name in step.options for name in _CHOOSES):
        return False
    if "nodelist" in step.options:
        return step.command.certain
    return "nodes" not in step.options and "ntasks" not in step.options


def _apart(before: Step, step: Step) -> bool:
    """Whether no list in the background runs both, one after the other."""
    return before.command.background != step.command.background
